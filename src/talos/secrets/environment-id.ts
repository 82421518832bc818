import { createHash } from "node:crypto";

/** The id of an environment in marks: readable, and different for clusters with the same name. */
export function environmentId(clusterName: string, clusterId: string): string {
  return `${clusterName}-${createHash("sha256").update(clusterId).digest("hex").slice(0, 8)}`;
}
