import type { ProxmoxClient } from "./client.ts";
import { list, requiredText } from "./loose.ts";

/** GET /pools: the names of the pools that the login may see. */
export async function pools(client: ProxmoxClient, signal?: AbortSignal): Promise<string[]> {
  const items = list(await client.get("/pools", {}, signal), "the pools");
  return items.map((item) => requiredText(item.poolid, "a pool's name")).sort();
}
