import { messageOf } from "@talosmith/lib/errors.ts";
import { answering, type Incoming, type Reply } from "../kernel/answer.ts";
import type { Lab, Service } from "../kernel/kernel.ts";
import { everyVersion } from "./all.ts";
import type { ChartFiles } from "./chart.ts";
import { downloadOf } from "./downloads.ts";
import { refusals } from "./refusals.ts";
import { answerRegistry } from "./registry.ts";
import { indexOf, type PackedChart, packChart } from "./repository.ts";

const CHARTS = "charts";
const PORT = 8081;

export interface ChartsOptions {
  /** More charts than the lab's own. */
  charts?: readonly ChartFiles[];
}

let own: readonly PackedChart[] | undefined;

/** The same for every lab, and made when the first one is asked. */
function ownCharts(): readonly PackedChart[] {
  own ??= everyVersion().map(({ chart, files }) => packChart(files, chart.homes));
  return own;
}

/** A Helm chart repository and an OCI registry at host 3 of the block; both have every chart. */
export function chartsService(options: ChartsOptions = {}): Service {
  let packed: PackedChart[] | undefined;
  const charts = () => {
    packed ??= [...ownCharts(), ...(options.charts ?? []).map((files) => packChart(files))];
    return packed;
  };
  return {
    name: CHARTS,
    initial: () => ({}),
    endpoints: async (lab) => [
      {
        host: lab.address.host(3),
        port: PORT,
        answer: answering(lab, {
          understand: (incoming) => ({
            call: {
              service: CHARTS,
              site: `${incoming.method} ${siteOf(incoming.path)}`,
              resource: incoming.path.slice(1),
              mutating: false,
            },
            handle: () => answer(charts(), incoming),
          }),
          refuse: ({ status, message }) => text(status, message),
          fail: (error) => text(500, messageOf(error)),
        }),
      },
    ],
    refusals,
    publish: (lab) => ({ url: chartsUrl(lab) }),
  };
}

function chartsUrl(lab: Lab): string {
  return `http://${lab.address.host(3)}:${PORT}`;
}

function siteOf(path: string): string {
  const [, kind] = /^\/v2\/.+\/(manifests|blobs|tags)\/[^/]+$/.exec(path) ?? [];
  if (kind !== undefined) return `/v2/:name/${kind}/:reference`;
  return path.endsWith("/index.yaml") ? "/index.yaml" : path.startsWith("/v2") ? "/v2/" : "/:file";
}

function answer(all: readonly PackedChart[], incoming: Incoming): Reply {
  const { method, path } = incoming;
  if (method !== "GET" && method !== "HEAD") return text(405, "Method Not Allowed");
  if (path === "/v2" || path.startsWith("/v2/")) return answerRegistry(within(all, "oci:", incoming), incoming);
  const download = downloadOf(path);
  if (download !== undefined) return { status: 200, headers: { "content-type": "application/octet-stream" }, body: download };
  const charts = within(all, "https:", incoming);
  if (path.endsWith("/index.yaml")) {
    if (charts.length === 0) return text(404, "Not Found");
    return { status: 200, headers: { "content-type": "text/yaml" }, body: indexOf(charts) };
  }
  const chart = charts.find(({ file }) => path.endsWith(`/${file}`));
  if (!chart) return text(404, "Not Found");
  return { status: 200, headers: { "content-type": "application/gzip" }, body: chart.bytes };
}

/** Under its own address the lab has every chart; under a name of the world outside those that are found there. */
function within(all: readonly PackedChart[], protocol: "https:" | "oci:", { headers, path }: Incoming): readonly PackedChart[] {
  const host = headers.host ?? "";
  const isLab = /^[\d.]+(:\d+)?$/.test(host) || host.startsWith("localhost");
  if (isLab) return protocol === "oci:" || path.lastIndexOf("/") === 0 ? all : [];
  return all.filter(({ homes, metadata }) =>
    homes.some((home) => {
      if (!home.startsWith(`${protocol}//${host}`)) return false;
      const folder = home.slice(`${protocol}//${host}`.length).replace(/\/$/, "");
      const expected = protocol === "oci:" ? `/v2${folder}/${metadata.name}/` : `${folder}/`;
      return path.startsWith(expected) && (protocol === "oci:" || !path.slice(expected.length).includes("/"));
    }),
  );
}

function text(status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${body}\n` };
}
