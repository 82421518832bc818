import type { ClusterInput } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";

/** KubeSpan settings. Without the administrators' WireGuard addresses: nodes are not peers of each other there. */
export function kubeSpan({ wireguard }: Pick<ClusterInput, "wireguard">): JsonObject {
  if (wireguard === undefined) return { enabled: true };
  return { enabled: true, filters: { endpoints: ["0.0.0.0/0", "::/0", `!${wireguard.cidr}`] } };
}
