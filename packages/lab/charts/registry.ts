import type { Incoming, Reply } from "../kernel/answer.ts";
import { digestOf, type PackedChart } from "./repository.ts";

/** As Helm itself pushes a chart: helm.sh, "Use OCI-based registries". */
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const CONFIG = "application/vnd.cncf.helm.config.v1+json";
const CONTENT = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/** The OCI distribution API for anonymous readers: OCI distribution-spec 1.1, "pull" and "content discovery". */
export function answerRegistry(charts: readonly PackedChart[], { method, path, query }: Incoming): Reply {
  if (path === "/v2" || path === "/v2/") return json(200, "application/json", "{}");
  const [, name = "", kind = "", reference = ""] = /^\/v2\/(.+)\/(manifests|blobs|tags)\/([^/]+)$/.exec(path) ?? [];
  const found = charts.filter(({ metadata }) => name === metadata.name || name.endsWith(`/${metadata.name}`));
  if (kind === "") return refusal(404, "UNSUPPORTED", "The operation is unsupported.", {});
  if (found.length === 0) return refusal(404, "NAME_UNKNOWN", "repository name not known to registry", { name });
  if (kind === "tags") return json(200, "application/json", JSON.stringify({ name, tags: tagsOf(found, query) }));
  if (kind === "manifests") {
    const chart = found.find((one) => tagOf(one) === reference || digestOf(manifestOf(one)) === reference);
    if (!chart) return refusal(404, "MANIFEST_UNKNOWN", "manifest unknown", { Tag: reference });
    return content(method, MANIFEST, manifestOf(chart));
  }
  for (const chart of found) {
    if (chart.digest === reference) return content(method, "application/octet-stream", chart.bytes);
    if (digestOf(configOf(chart)) === reference) return content(method, "application/octet-stream", configOf(chart));
  }
  return refusal(404, "BLOB_UNKNOWN", "blob unknown to registry", { digest: reference });
}

/** A tag has no plus sign. */
function tagOf({ metadata }: PackedChart): string {
  return metadata.version.replaceAll("+", "_");
}

function tagsOf(charts: readonly PackedChart[], query: URLSearchParams): string[] {
  const all = charts.map(tagOf).sort();
  const last = query.get("last");
  return last === null ? all : all.filter((tag) => tag > last);
}

function configOf({ metadata }: PackedChart): string {
  return JSON.stringify(metadata);
}

function manifestOf(chart: PackedChart): string {
  const config = configOf(chart);
  return JSON.stringify({
    schemaVersion: 2,
    config: { mediaType: CONFIG, digest: digestOf(config), size: Buffer.byteLength(config) },
    layers: [{ mediaType: CONTENT, digest: chart.digest, size: chart.bytes.length }],
    annotations: {
      "org.opencontainers.image.title": chart.metadata.name,
      "org.opencontainers.image.version": chart.metadata.version,
    },
  });
}

const VERSION = { "docker-distribution-api-version": "registry/2.0" };

function content(method: string, type: string, body: string | Uint8Array): Reply {
  const headers = { ...VERSION, "content-type": type, "docker-content-digest": digestOf(body) };
  if (method !== "HEAD") return { status: 200, headers, body };
  return { status: 200, headers: { ...headers, "content-length": Buffer.byteLength(body) } };
}

function json(status: number, type: string, body: string): Reply {
  return { status, headers: { ...VERSION, "content-type": type }, body };
}

function refusal(status: number, code: string, message: string, detail: object): Reply {
  return json(status, "application/json", JSON.stringify({ errors: [{ code, message, detail }] }));
}
