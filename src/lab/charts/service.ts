import { answering, type Incoming, type Reply } from "../kernel/answer.ts";
import type { Lab, Service } from "../kernel/kernel.ts";
import { CILIUM_VERSIONS, ciliumChart } from "./cilium/chart.ts";
import { type ChartFiles, indexOf, type PackedChart, packChart } from "./repository.ts";

const CHARTS = "charts";
const PORT = 8081;

export interface ChartsOptions {
  /** More charts than the lab's own. */
  charts?: readonly ChartFiles[];
}

/** A Helm chart repository at host 3 of the block. */
export function chartsService(options: ChartsOptions = {}): Service {
  let packed: PackedChart[] | undefined;
  const charts = () => {
    packed ??= [...CILIUM_VERSIONS.map(ciliumChart), ...(options.charts ?? [])].map(packChart);
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
          fail: (error) => text(500, error instanceof Error ? error.message : String(error)),
        }),
      },
    ],
    publish: (lab) => ({ url: chartsUrl(lab) }),
  };
}

function chartsUrl(lab: Lab): string {
  return `http://${lab.address.host(3)}:${PORT}`;
}

function siteOf(path: string): string {
  return path === "/index.yaml" ? path : "/:file";
}

function answer(charts: readonly PackedChart[], { method, path }: Incoming): Reply {
  if (method !== "GET" && method !== "HEAD") return text(405, "Method Not Allowed");
  if (path === "/index.yaml") return { status: 200, headers: { "content-type": "text/yaml" }, body: indexOf(charts) };
  const chart = charts.find(({ file }) => `/${file}` === path);
  if (!chart) return text(404, "Not Found");
  return { status: 200, headers: { "content-type": "application/gzip" }, body: chart.bytes };
}

function text(status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${body}\n` };
}
