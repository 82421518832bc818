import type { Json } from "@talosmith/lib/json.ts";
import { decodeRelease } from "../../../kubernetes/helm/stored-release.ts";
import type { Job, Secret } from "../../../kubernetes/objects.ts";
import { helmRecord } from "./helm-records.ts";
import type { MemoryCluster } from "./memory-cluster.ts";

/** The next state of a Helm run: ended with this log, or still running. */
export type HelmMove = { ended: "Complete" | "Failed"; log: string } | { log: string };

/** Helm's first action: it refuses, or records a pending operation. */
export function helmBegins(cluster: MemoryCluster, job: Job): HelmMove {
  const { release, records, verb } = helmOf(cluster, job);
  const { name, namespace = "" } = job.metadata;
  const rights = cluster.find({ apiVersion: "", kind: "ClusterRoleBinding", name });
  const account = cluster.find({ apiVersion: "", kind: "ServiceAccount", namespace, name });
  if (!rights || !account) return { ended: "Failed", log: "Error: secrets is forbidden" };
  if (cluster.mood.fails !== undefined) return { ended: "Failed", log: cluster.mood.fails };
  if (verb === "uninstall") {
    return records.length === 0
      ? { ended: "Failed", log: `Error: uninstall: Release not loaded: ${release.name}: release: not found` }
      : { log: "removing things\n" };
  }
  if (records.some(({ metadata }) => metadata.labels?.status?.startsWith("pending-")))
    return { ended: "Failed", log: "Error: another operation (install/upgrade/rollback) is in progress" };
  const revision = Math.max(0, ...records.map(({ metadata }) => Number(metadata.labels?.version))) + 1;
  cluster.put(helmRecord({ ...release, revision, status: revision === 1 ? "pending-install" : "pending-upgrade" }));
  return { log: "beginning\ncreating things\n" };
}

export function helmFinishes(cluster: MemoryCluster, job: Job): HelmMove {
  const { release, records, verb } = helmOf(cluster, job);
  if (verb === "uninstall") {
    for (const { kind, metadata } of records) cluster.drop({ kind, ...metadata });
    return { ended: "Complete", log: `release "${release.name}" uninstalled` };
  }
  for (const record of records) {
    const last = record.metadata.labels?.status?.startsWith("pending-") ?? false;
    const { revision, chart, version, values } = decodeRelease(record);
    cluster.put(helmRecord({ ...release, chart, version, config: values, revision, status: last ? "deployed" : "superseded" }));
  }
  cluster.onInstalled(release.name);
  return { ended: "Complete", log: "STATUS: deployed" };
}

function helmOf(cluster: MemoryCluster, job: Job) {
  const [container] = job.spec.template.spec.containers as unknown as { command: string[] }[];
  const command = container?.command ?? [];
  const flag = (name: string) => (command.includes(name) ? (command[command.indexOf(name) + 1] ?? "") : "");
  const verb = command[1] ?? "";
  const [name = "", chart = ""] = verb === "uninstall" ? [command[2]] : [command[3], command[4]?.split("/").at(-1)];
  const { metadata } = job;
  const values = cluster.find<Secret>({
    apiVersion: "",
    kind: "Secret",
    namespace: metadata.namespace ?? "",
    name: metadata.name,
  });
  const config = JSON.parse(Buffer.from(values?.data?.["values.yaml"] ?? "e30=", "base64").toString()) as Json;
  const labels = Object.fromEntries(
    flag("--labels")
      .split(",")
      .filter((label) => label !== "")
      .map((label) => label.split("=") as [string, string]),
  );
  const namespace = flag("--namespace");
  const manifest = cluster.charts.get(chart) ?? "";
  const release = { name, chart, namespace, version: flag("--version"), config, labels, manifest };
  const records = cluster
    .all<Secret>("Secret")
    .filter(({ metadata: { labels: own, namespace: home } }) => own?.owner === "helm" && own.name === name && home === namespace);
  return { verb, release, records };
}
