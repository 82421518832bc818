import { messageOf } from "@talosmith/lib/errors.ts";
import { parse } from "yaml";
import type { Loose } from "../objects.ts";
import type { Process } from "../pods/program.ts";
import { type Chart, readChart } from "./chart.ts";
import { fetchFromRegistry } from "./registry.ts";
import { semverCompare } from "./template/value-functions.ts";

export interface ChartRef {
  chart: string;
  repository: string;
  version?: string;
}

/** Fetches a chart from a classic repository: its index first, then the archive that the index names. */
export async function fetchChart(run: Process, { chart, repository, version }: ChartRef): Promise<Chart> {
  if (chart.startsWith("oci://")) return fetchFromRegistry(run, chart, version);
  const base = repository.replace(/\/+$/, "");
  const index = await fetchIndex(run, base);
  const entries: Loose[] = index?.entries?.[chart] ?? [];
  const found = version === undefined ? entries[0] : entries.find((entry) => matches(version, entry.version));
  if (!found) {
    const which = version === undefined ? "" : ` version ${JSON.stringify(version)}`;
    throw new Error(`chart ${JSON.stringify(chart)}${which} not found in ${repository} repository`);
  }
  const url = new URL(found.urls?.[0] ?? "", `${base}/`).href;
  const answer = await run.fetch(url);
  if (answer.status !== 200) throw new Error(`failed to fetch ${url} : ${answer.status} ${reason(answer.status)}`);
  return readChart(answer.body);
}

function matches(wanted: string, version: string): boolean {
  if (wanted.replace(/^v/, "") === version.replace(/^v/, "")) return true;
  return /[<>=^~*x|]/.test(wanted) && semverCompare(wanted, version);
}

async function fetchIndex(run: Process, base: string): Promise<Loose> {
  const url = `${base}/index.yaml`;
  const refuse = (why: string) =>
    new Error(`looks like ${JSON.stringify(base)} is not a valid chart repository or cannot be reached: ${why}`);
  const answer = await run.fetch(url).catch((error: unknown) => {
    throw refuse(`Get ${JSON.stringify(url)}: ${messageOf(error)}`);
  });
  if (answer.status !== 200) throw refuse(`failed to fetch ${url} : ${answer.status} ${reason(answer.status)}`);
  try {
    return parse(answer.body.toString("utf8"));
  } catch (error) {
    throw refuse(`error converting YAML to JSON: ${messageOf(error)}`);
  }
}

function reason(status: number): string {
  const words: Record<number, string> = {
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    500: "Internal Server Error",
    503: "Service Unavailable",
  };
  return words[status] ?? "";
}
