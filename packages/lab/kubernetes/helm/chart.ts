import type { Loose } from "../objects.ts";
import { readArchive } from "./archive.ts";
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
