/** Whose machines tests make. */
export const ENVIRONMENT = "life-12345678";
