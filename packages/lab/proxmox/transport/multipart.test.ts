import { expect, test } from "vitest";
import { readUpload } from "./multipart.ts";

const TYPE = "multipart/form-data; boundary=xyz";

function body(...parts: [name: string, value: string, filename?: string][]): Buffer {
  const text = parts.map(([name, value, filename]) => {
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    return `--xyz\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return Buffer.from(`${text.join("")}--xyz--\r\n`);
}

const FILE: [string, string, string] = ["filename", "bytes\r\nand more", "a.iso"];

test("fields in the expected order are found", () => {
  const upload = readUpload(TYPE, body(["content", "iso"], ["checksum-algorithm", "sha256"], ["checksum", "abc"], FILE));
  expect(upload.fields).toEqual({ content: "iso", "checksum-algorithm": "sha256", checksum: "abc" });
  expect(upload.file.name).toBe("a.iso");
  expect(upload.file.bytes.toString()).toBe("bytes\r\nand more");
});

test("with the checksum before its algorithm, both are silently ignored", () => {
  const upload = readUpload(TYPE, body(["checksum", "abc"], ["checksum-algorithm", "sha256"], ["content", "iso"], FILE));
  expect(upload.fields).toEqual({ content: "iso" });
});

test("with the file first, the content type is lost", () => {
  expect(readUpload(TYPE, body(FILE, ["content", "iso"])).fields).toEqual({});
});

test("the file's field must be named filename", () => {
  expect(() => readUpload(TYPE, body(["content", "iso"], ["file", "bytes", "a.iso"]))).toThrow(
    "wrong field name 'file' for file upload, expected 'filename'",
  );
});
