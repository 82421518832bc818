import type { Write } from "../../../../engine/step.ts";
import type { RescueLogin } from "../../config/config-on-vps.ts";
import { actionDone, actionIds } from "./actions.ts";
import type { HetznerClient } from "./client.ts";
import { serverById } from "./servers.ts";

/**
 * Restarts a server into its rescue system. One that is enabled already lets in whom somebody named then, and maybe not us: so it is ordered anew. To
 * do all of this twice is no harm.
 */
export async function enterRescue(client: HetznerClient, id: string, login: RescueLogin, c: Write): Promise<void> {
  const server = await serverById(client, id, c);
  // What reads keys is loaded by those alone who need it.
  const { knownKeys } = await import("./ssh-keys.ts");
  const keys = await knownKeys(client, login, c);
  if (server.rescueEnabled) await act(client, id, "disable_rescue", {}, `take back the rescue system of ${server.name}`, c);
  const order = { type: "linux64", ssh_keys: keys };
  await act(client, id, "enable_rescue", order, `have ${server.name} start its rescue system next`, c);
  const { status } = await serverById(client, id, c);
  if (status === "off") await act(client, id, "poweron", {}, `switch on ${server.name}`, c);
  else await act(client, id, "reset", {}, `restart ${server.name}`, c);
}

/** It is used up by the first start; until then the next one would not be from the disk. */
export async function leaveRescue(client: HetznerClient, id: string, c: Write): Promise<void> {
  const server = await serverById(client, id, c);
  if (!server.rescueEnabled) return;
  await act(client, id, "disable_rescue", {}, `have ${server.name} start from its disk next`, c);
}

/** POST /servers/{id}/actions/… Of the answer only the action is kept: some hold a password. */
async function act(
  client: HetznerClient,
  id: string,
  action: string,
  body: Readonly<Record<string, unknown>>,
  what: string,
  c: Write,
): Promise<void> {
  c.say(what);
  const ids = await c.mutate({ key: `hetzner server ${id}`, what }, async () =>
    actionIds(await client.post(`/servers/${id}/actions/${action}`, body, c)),
  );
  for (const one of ids) await actionDone(client, c, one, what);
}
