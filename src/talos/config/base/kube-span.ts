import type { ClusterInput } from "../cluster-input.ts";
import type { JsonObject } from "../document.ts";

/** Nodes are not each other's peers in the WireGuard of people: an address there leads another node nowhere. */
export function kubeSpan({ wireguard }: Pick<ClusterInput, "wireguard">): JsonObject {
  if (wireguard === undefined) return { enabled: true };
  return { enabled: true, filters: { endpoints: ["0.0.0.0/0", "::/0", `!${wireguard.cidr}`] } };
}
