import { gunzipSync } from "node:zlib";

/** The files of a .tgz by their paths. */
export function readArchive(bytes: Buffer): Record<string, string> {
  const tar = gunzipSync(bytes);
  const files: Record<string, string> = {};
  for (let at = 0; at + 512 <= tar.length; ) {
    const header = tar.subarray(at, at + 512);
    const name = textAt(header, 0, 100);
    if (name === "") break;
    const size = Number.parseInt(textAt(header, 124, 12).trim() || "0", 8);
    const prefix = textAt(header, 345, 155);
    const type = String.fromCharCode(header[156] ?? 48);
    if (type === "0" || type === "\0") {
      files[prefix === "" ? name : `${prefix}/${name}`] = tar.subarray(at + 512, at + 512 + size).toString("utf8");
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

function textAt(header: Buffer, from: number, length: number): string {
  const field = header.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString("utf8");
}
