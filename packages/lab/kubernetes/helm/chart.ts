import { gunzipSync } from "node:zlib";
import type { Loose } from "../objects.ts";
import { readYaml } from "./yaml.ts";

/** A chart as stored in its release: contents in base64, names without the chart's folder. */
export interface Chart {
  metadata: Loose;
  lock: Loose;
  templates: ChartFile[];
  values: Loose;
  schema: string | null;
  files: ChartFile[];
}

export interface ChartFile {
  name: string;
  data: string;
}

export function readChart(archive: Buffer): Chart {
  const all = Object.entries(readArchive(archive)).map(([path, text]) => ({ name: path.slice(path.indexOf("/") + 1), text }));
  const find = (name: string) => all.find((file) => file.name === name)?.text;
  const metadata: Loose = readYaml(find("Chart.yaml") ?? "null");
  if (!metadata) throw new Error("Chart.yaml file is missing");
  if (!metadata.name) throw new Error("validation: chart.metadata.name is required");
  const encoded = ({ name, text }: { name: string; text: string }): ChartFile => ({
    name,
    data: Buffer.from(text).toString("base64"),
  });
  const isTemplate = ({ name }: { name: string }) => name.startsWith("templates/");
  const known = ["Chart.yaml", "Chart.lock", "values.yaml", "values.schema.json", ".helmignore"];
  const schema = find("values.schema.json");
  return {
    metadata,
    lock: null,
    templates: all.filter(isTemplate).map(encoded),
    values: readYaml(find("values.yaml") ?? "{}") ?? {},
    schema: schema === undefined ? null : Buffer.from(schema).toString("base64"),
    files: all.filter((file) => !isTemplate(file) && !known.includes(file.name)).map(encoded),
  };
}

export function textOf({ data }: ChartFile): string {
  return Buffer.from(data, "base64").toString("utf8");
}

/** The files of a .tgz by their paths. */
function readArchive(bytes: Buffer): Record<string, string> {
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
