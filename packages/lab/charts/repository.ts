import { createHash } from "node:crypto";
import { parse, stringify } from "yaml";
import { writeArchive } from "./archive.ts";
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
