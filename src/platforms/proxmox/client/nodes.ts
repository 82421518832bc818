import type { ProxmoxClient } from "./client.ts";
import { type Loose, list, object, requiredText, text } from "./loose.ts";

export interface HostSummary {
  name: string;
  online: boolean;
}

/** GET /version */
export async function version(client: ProxmoxClient, signal?: AbortSignal): Promise<string> {
  return requiredText(object(await client.get("/version", {}, signal), "the version").version, "the version");
}

/** GET /nodes */
export async function hosts(client: ProxmoxClient, signal?: AbortSignal): Promise<HostSummary[]> {
  const items: Loose[] = list(await client.get("/nodes", {}, signal), "the list of hosts");
  return items
    .map((item) => ({ name: requiredText(item.node, "a host's name"), online: text(item.status) === "online" }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** GET /nodes/{node}/network?type=any_bridge */
export async function bridges(client: ProxmoxClient, host: string, signal?: AbortSignal): Promise<string[]> {
  const items = list(await client.get(`/nodes/${host}/network`, { type: "any_bridge" }, signal), `the bridges of ${host}`);
  return items.map((item) => requiredText(item.iface, "a bridge's name")).sort();
}
