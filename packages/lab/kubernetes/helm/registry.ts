import { createHash } from "node:crypto";
import { messageOf } from "@talosmith/lib/errors.ts";
import type { Loose } from "../objects.ts";
import type { PodAnswer, Process } from "../pods/program.ts";
import { type Chart, readChart } from "./chart.ts";
import { semverCompare } from "./template/value-functions.ts";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const CONTENT = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/** Fetches a chart from an OCI registry: the manifest with the version as tag, then the layer with the archive. */
export async function fetchFromRegistry(run: Process, reference: string, version: string | undefined): Promise<Chart> {
  const { host, pathname } = new URL(reference.replace(/^oci:/, "https:"));
  const name = pathname.slice(1);
  const base = `https://${host}/v2/${name}`;
  const tag = version !== undefined && isExact(version) ? version.replaceAll("+", "_") : await newest(run, base, version);
  const answer = await ask(run, `${base}/manifests/${tag}`, { Accept: MANIFEST });
  if (answer.status === 404) throw new Error(`failed to perform "FetchReference" on source: ${host}/${name}:${tag}: not found`);
  if (answer.status !== 200) throw refused("FetchReference", `${base}/manifests/${tag}`, answer);
  const manifest: Loose = JSON.parse(answer.body.toString("utf8"));
  const layer = (manifest.layers ?? []).find(({ mediaType }: Loose) => mediaType === CONTENT);
  if (!layer) throw new Error("manifest does not contain minimum number of descriptors (2), descriptors found: 1");
  const blob = await ask(run, `${base}/blobs/${layer.digest}`, {});
  if (blob.status !== 200) throw refused("Fetch", `${base}/blobs/${layer.digest}`, blob);
  if (`sha256:${createHash("sha256").update(blob.body).digest("hex")}` !== layer.digest)
    throw new Error(`mismatch digest: expected ${layer.digest}`);
  return readChart(blob.body);
}

function isExact(version: string): boolean {
  return /^v?\d+\.\d+\.\d+([-+][\w.+-]+)?$/.test(version);
}

/** The newest version in a range, or of all. */
async function newest(run: Process, base: string, version: string | undefined): Promise<string> {
  const answer = await ask(run, `${base}/tags/list`, {});
  if (answer.status !== 200) throw refused("Tags", `${base}/tags/list`, answer);
  const tags: string[] = JSON.parse(answer.body.toString("utf8")).tags ?? [];
  const fitting = tags.filter((tag) => isExact(tag) && (version === undefined || semverCompare(version, tag)));
  fitting.sort((a, b) => (semverCompare(`>${b.replace(/^v/, "")}`, a) ? -1 : 1));
  if (fitting[0] === undefined) throw new Error(`could not locate a version matching provided version string ${version ?? ""}`);
  return fitting[0];
}

async function ask(run: Process, url: string, headers: Record<string, string>): Promise<PodAnswer> {
  try {
    return await run.fetch(url, { headers: { "User-Agent": "Helm/3.18.6", ...headers } });
  } catch (error) {
    if (run.signal.aborted) throw error;
    throw new Error(`failed to do request: Head ${JSON.stringify(url)}: ${messageOf(error)}`);
  }
}

function refused(operation: string, url: string, { status, body }: PodAnswer): Error {
  let said = "";
  try {
    said = (JSON.parse(body.toString("utf8")).errors ?? [])
      .map(({ code, message }: Loose) => `${String(code).toLowerCase().replaceAll("_", " ")}: ${message}`)
      .join("; ");
  } catch {
    // Some registries send no error details.
  }
  return new Error(
    `failed to perform "${operation}" on source: GET ${JSON.stringify(url)}: response status code ${status}${said === "" ? "" : `: ${said}`}`,
  );
}
