import { gzipSync } from "node:zlib";

const BLOCK = 512;
/** 2026-01-01: an archive has the same bytes whenever it is made. */
const MODIFIED = 1_767_225_600;

/** A .tgz of text files. */
export function writeArchive(files: Readonly<Record<string, string>>): Buffer {
  const parts = Object.keys(files)
    .sort()
    .flatMap((name) => {
      const content = Buffer.from(files[name] ?? "");
      return [header(name, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
    });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

/** POSIX ustar. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  block.write(name, 0, 100, "utf8");
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(MODIFIED, 136, 12);
  block.write("        0", 148, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
