import type { ProxmoxClient } from "./client.ts";
import { flag, hostName, list, text } from "./loose.ts";

export interface ClusterStatus {
  /** The host that responds. */
  local: string;
  /** Absent for a host that is in no cluster. */
  name?: string;
  /** Always true for a host without a cluster. */
  quorate: boolean;
  offline: string[];
}

/** GET /cluster/status */
export async function clusterStatus(client: ProxmoxClient, signal?: AbortSignal): Promise<ClusterStatus> {
  const items = list(await client.get("/cluster/status", {}, signal), "the cluster's state");
  const cluster = items.find((item) => text(item.type) === "cluster");
  const offline = items.filter((item) => text(item.type) === "node" && !flag(item.online));
  const name = text(cluster?.name);
  const local = items.find((item) => text(item.type) === "node" && flag(item.local));
  return {
    local: hostName(local?.name, "the name of the host that answers"),
    ...(name !== undefined && { name }),
    quorate: cluster === undefined || flag(cluster.quorate),
    offline: offline.map((item) => hostName(item.name, "a host's name")).sort(),
  };
}
