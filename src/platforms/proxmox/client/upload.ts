import type { BodyStream } from "@talosmith/lib/http/client.ts";

/** A file to be sent, which can be opened more than once. */
export interface UploadFile {
  /** Its name on the storage. */
  name: string;
  size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** Proxmox reads the fields in this order and ignores a field that comes too late, so a late checksum is not verified. */
const FIELDS = ["content", "checksum-algorithm", "checksum"] as const;

export type UploadFields = { readonly content: "import" | "iso" } & Readonly<
  Partial<Record<"checksum-algorithm" | "checksum", string>>
>;

/** multipart/form-data as Proxmox wants it: Content-Disposition first in each part, the file last and called "filename". */
export function multipart(fields: UploadFields, file: UploadFile, boundary: string): BodyStream & { type: string } {
  const part = (disposition: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${rest}\r\n`;
  const given = FIELDS.flatMap((name) => {
    const value = fields[name];
    return value === undefined ? [] : [`${part(`name="${name}"`, "")}${value}\r\n`];
  });
  const opening = part(`name="filename"; filename="${file.name}"`, "Content-Type: application/octet-stream\r\n");
  const before = Buffer.from(given.join("") + opening);
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    size: before.length + file.size + after.length,
    async *open() {
      yield before;
      yield* file.open();
      yield after;
    },
  };
}
