import { createHash } from "node:crypto";
import { parse, stringify } from "yaml";
import { writeArchive } from "./archive.ts";

/** The files of one chart in one version, without the chart's folder. */
export type ChartFiles = Readonly<Record<string, string>>;

export interface PackedChart {
  file: string;
  bytes: Buffer;
  metadata: { name: string; version: string } & Record<string, unknown>;
}

const CREATED = "2026-01-01T00:00:00Z";

export function packChart(files: ChartFiles): PackedChart {
  const metadata = parse(files["Chart.yaml"] ?? "") as PackedChart["metadata"];
  const inFolder = Object.fromEntries(Object.entries(files).map(([path, text]) => [`${metadata.name}/${path}`, text]));
  return { file: `${metadata.name}-${metadata.version}.tgz`, bytes: writeArchive(inFolder), metadata };
}

/** index.yaml; the newest version of a chart comes first, as clients expect. */
export function indexOf(charts: readonly PackedChart[]): string {
  const entries: Record<string, object[]> = {};
  for (const { file, bytes, metadata } of charts) {
    const digest = createHash("sha256").update(bytes).digest("hex");
    entries[metadata.name] = [...(entries[metadata.name] ?? []), { ...metadata, created: CREATED, digest, urls: [file] }];
  }
  return stringify({ apiVersion: "v1", entries, generated: CREATED });
}
