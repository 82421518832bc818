/** The environment of the machines in tests. */
export const ENVIRONMENT = "life-12345678";
