import { gzipSync } from "node:zlib";
import type { Json } from "@talosmith/lib/json.ts";
import type { Secret } from "../../../kubernetes/objects.ts";

export interface HelmRecord {
  name: string;
  namespace: string;
  revision: number;
  status: string;
  chart: string;
  version: string;
  config: Json;
  /** The labels given with --labels. */
  labels?: Record<string, string>;
  manifest?: string;
  files?: { name: string; data: string }[];
}

/** A release secret as Helm 3 writes it (docs/facts/kubernetes.md#helm-releases, and the golden file in src/kubernetes/helm/testing). */
export function helmRecord(record: HelmRecord): Secret {
  const { name, namespace, revision, status, chart, version, config, labels = {}, manifest = "", files = [] } = record;
  const recorded = {
    name,
    namespace,
    version: revision,
    info: { status, last_deployed: "2026-11-16T00:00:00Z" },
    chart: { metadata: { name: chart, version }, files },
    config,
    manifest,
  };
  const packed = gzipSync(JSON.stringify(recorded)).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    type: "helm.sh/release.v1",
    metadata: {
      name: `sh.helm.release.v1.${name}.v${revision}`,
      namespace,
      labels: { ...labels, owner: "helm", name, status, version: String(revision) },
    },
    data: { release: Buffer.from(packed).toString("base64") },
  };
}
