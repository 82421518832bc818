export interface PemBlock {
  label: string;
  der: Buffer;
}

/** Lines of 64 characters and a newline at the end, as openssl and Go write it. */
export function encodePem({ label, der }: PemBlock): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `${[`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join("\n")}\n`;
}

/** Every block in a text, in order; other text is ignored, as PEM readers do. */
export function decodePem(text: string): PemBlock[] {
  const blocks = text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g);
  return [...blocks].map(([, label = "", body = ""]) => ({ label, der: Buffer.from(body, "base64") }));
}
