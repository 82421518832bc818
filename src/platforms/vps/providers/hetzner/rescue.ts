import type { Write } from "../../../../engine/step.ts";
import type { RescueLogin } from "../../config/config-on-vps.ts";
import { actionDone, actionIds } from "./actions.ts";
import type { HetznerClient } from "./client.ts";
import { serverById } from "./servers.ts";

/**
 * Restarts a server into its rescue system. One that is already enabled may have other SSH keys, so it is disabled and enabled again. Repeating this
 * is harmless.
 */
export async function enterRescue(client: HetznerClient, id: string, login: RescueLogin, c: Write): Promise<void> {
  const server = await serverById(client, id, c);
  // Loaded on demand: only an order of a rescue system needs the code that reads keys.
  const { knownKeys } = await import("./ssh-keys.ts");
  const keys = await knownKeys(client, login, c);
  if (server.rescueEnabled) await act(client, id, "disable_rescue", {}, `disable the rescue system of ${server.name}`, c);
  const order = { type: "linux64", ssh_keys: keys };
  await act(client, id, "enable_rescue", order, `set ${server.name} to start its rescue system next`, c);
  const { status } = await serverById(client, id, c);
  if (status === "off") await act(client, id, "poweron", {}, `switch on ${server.name}`, c);
  else await act(client, id, "reset", {}, `restart ${server.name}`, c);
}

/** Disables the rescue system. The first start uses it up; until then the next start would not be from the disk. */
export async function leaveRescue(client: HetznerClient, id: string, c: Write): Promise<void> {
  const server = await serverById(client, id, c);
  if (!server.rescueEnabled) return;
  await act(client, id, "disable_rescue", {}, `set ${server.name} to start from its disk next`, c);
}

/** POST /servers/{id}/actions/… Only the action ids of the response are kept: some responses hold a password. */
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
