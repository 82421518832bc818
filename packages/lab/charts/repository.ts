import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { parse, stringify } from "yaml";
import type { ChartFiles } from "./chart.ts";

export interface PackedChart {
  file: string;
  bytes: Buffer;
  /** "sha256:…" of the bytes. */
  digest: string;
  metadata: { name: string; version: string } & Record<string, unknown>;
  /** Where it is found, in the world outside. */
  homes: readonly string[];
}

const CREATED = "2026-01-01T00:00:00Z";

export function packChart(files: ChartFiles, homes: readonly string[] = []): PackedChart {
  const metadata = parse(files["Chart.yaml"] ?? "") as PackedChart["metadata"];
  const inFolder = Object.fromEntries(Object.entries(files).map(([path, text]) => [`${metadata.name}/${path}`, text]));
  const bytes = writeArchive(inFolder);
  return { file: `${metadata.name}-${metadata.version}.tgz`, bytes, digest: digestOf(bytes), metadata, homes };
}

export function digestOf(bytes: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** index.yaml; the newest version of a chart comes first, as clients expect. */
export function indexOf(charts: readonly PackedChart[]): string {
  const entries: Record<string, object[]> = {};
  for (const { file, digest, metadata } of charts) {
    const entry = { ...metadata, created: CREATED, digest: digest.slice("sha256:".length), urls: [file] };
    entries[metadata.name] = [...(entries[metadata.name] ?? []), entry];
  }
  return stringify({ apiVersion: "v1", entries, generated: CREATED });
}

const BLOCK = 512;
/** 2026-01-01: an archive has the same bytes whenever it is made. */
const MODIFIED = 1_767_225_600;

/** A .tgz of text files. */
function writeArchive(files: Readonly<Record<string, string>>): Buffer {
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
