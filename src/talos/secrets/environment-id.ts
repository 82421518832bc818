import { createHash } from "node:crypto";

/** Names an environment on everything it creates: readable, and apart from another cluster that has the same name. */
export function environmentId(clusterName: string, clusterId: string): string {
  return `${clusterName}-${createHash("sha256").update(clusterId).digest("hex").slice(0, 8)}`;
}
