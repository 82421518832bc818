import { died } from "../refusal.ts";

export interface Upload {
  /** content, checksum-algorithm, checksum: those that were found. */
  fields: Record<string, string>;
  file: { name: string; bytes: Buffer };
}

interface MultipartField {
  name: string;
  filename?: string;
  bytes: Buffer;
}

/** Expected in this order, before the file (docs/facts/proxmox.md#upload). */
const FIELDS = ["content", "checksum-algorithm", "checksum"];

/**
 * Reads an upload as Proxmox does: it looks for one field after the other and drops everything before the one it looks for, so that fields in
 * another order are silently lost.
 */
export function readUpload(contentType: string, body: Buffer): Upload {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) throw died("missing boundary in multipart content type");
  const parts = split(body, boundary);
  const at = parts.findIndex((part) => part.filename !== undefined);
  const file = parts[at];
  if (!file) throw died("no file in upload");
  const fields: Record<string, string> = {};
  let from = 0;
  for (const name of FIELDS) {
    const found = parts.findIndex((part, index) => index >= from && index < at && part.name === name);
    if (found === -1) continue;
    fields[name] = parts[found]?.bytes.toString("utf8").trim() ?? "";
    from = found + 1;
  }
  if (file.name !== "filename") throw died(`wrong field name '${file.name}' for file upload, expected 'filename'`);
  return { fields, file: { name: file.filename ?? "", bytes: file.bytes } };
}

function split(body: Buffer, boundary: string): MultipartField[] {
  const mark = Buffer.from(`--${boundary}`);
  const parts: MultipartField[] = [];
  for (let start = body.indexOf(mark); start !== -1; ) {
    const end = body.indexOf(mark, start + mark.length);
    if (end === -1) break;
    const part = parsePart(body.subarray(start + mark.length + 2, end - 2));
    if (part) parts.push(part);
    start = end;
  }
  return parts;
}

/** Content-Disposition must be the first header, in exactly this spelling. */
function parsePart(bytes: Buffer): MultipartField | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  const head = end === -1 ? "" : bytes.subarray(0, end).toString("utf8");
  const [, name, filename] = /^Content-Disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)")?/.exec(head) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(filename !== undefined && { filename }), bytes: bytes.subarray(end + 4) };
}
