import * as z from "zod";
import type { Incoming, Reply, TaskFault } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import { actionView, beginAction, type Effect } from "./actions.ts";
import { bodyOf, byId, hetzner } from "./call.ts";
import { invalid, json, Refused } from "./refused.ts";
import { allServers, hosts, type Server, serverById } from "./servers.ts";

export const RESCUE_EXPIRES = "hetzner: rescue expires";

const HOUR_MS = 60 * 60_000;

/** The commands of the API's actions, and how long each takes. */
const ACTIONS: Readonly<Record<string, { command: string; takesMs: number }>> = {
  enable_rescue: { command: "enable_rescue", takesMs: 2_000 },
  disable_rescue: { command: "disable_rescue", takesMs: 2_000 },
  reset: { command: "reset_server", takesMs: 5_000 },
  reboot: { command: "reboot_server", takesMs: 3_000 },
  poweron: { command: "start_server", takesMs: 5_000 },
  poweroff: { command: "stop_server", takesMs: 5_000 },
};

const RESCUE = z.object({
  type: z.enum(["linux64"]).default("linux64"),
  ssh_keys: z.array(z.int()).default([]),
});

/** POST /servers/{id}/actions/{action}: a running action locks the server. */
export function actOnServer(lab: Lab, id: string, action: string, incoming: Incoming, fault: TaskFault | undefined): Reply {
  const server = serverById(lab, id);
  const known = ACTIONS[action];
  if (known === undefined) throw new Refused("not_found", "not found");
  const order = action === "enable_rescue" ? rescueOrder(lab, server, incoming) : undefined;
  const own = hetzner(lab).servers[server.name];
  if (own === undefined || own.lockedBy !== undefined)
    throw new Refused("locked", "cannot perform operation because server is locked");
  const effect: Effect = { does: action, server: server.name, ...order };
  const begun = beginAction(lab, { ...known, resources: [{ id: server.id, type: "server" }], effect, fault });
  own.lockedBy = begun.id;
  return json(201, { action: actionView(begun), ...(order && { root_password: order.password }) });
}

function rescueOrder(lab: Lab, server: Server, incoming: Incoming): { keys: string[]; password: string } {
  const wish = bodyOf(incoming, RESCUE);
  const keys = wish.ssh_keys.map((id) => {
    const key = byId(hetzner(lab).sshKeys, id);
    if (key === undefined) throw invalid("ssh_keys", `ssh key ${id} not found`);
    return key.publicKey;
  });
  const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const nth = lab.serial("hetzner password");
  const password = Array.from({ length: 20 }, (_, at) => letters[Math.floor(lab.chance(server.name, nth, at) * letters.length)]);
  return { keys, password: password.join("") };
}

/** Applies the effect at the end of the action. */
export function serverEffect(lab: Lab, effect: Effect, order: number): void {
  const server = allServers(lab).find(({ name }) => name === effect.server);
  if (server === undefined) return;
  const { name, isOn } = server;
  const switches = hosts(lab);
  if (effect.does === "enable_rescue") {
    switches.rescueNext(lab, name, { keys: effect.keys as string[], password: effect.password as string });
    ordered(lab, name, order);
    lab.schedule(RESCUE_EXPIRES, HOUR_MS, { server: name, order });
  }
  if (effect.does === "disable_rescue") {
    switches.rescueNext(lab, name, undefined);
    ordered(lab, name, undefined);
  }
  // A server that is off stays off when it is reset or rebooted.
  if ((effect.does === "reset" || effect.does === "reboot") && isOn) switches.reset(lab, name);
  if (effect.does === "poweron" && !isOn) switches.powerOn(lab, name);
  if (effect.does === "poweroff" && isOn) switches.powerOff(lab, name);
}

function ordered(lab: Lab, name: string, order: number | undefined): void {
  const own = hetzner(lab).servers[name];
  if (own === undefined) return;
  if (order === undefined) delete own.rescueOrder;
  else own.rescueOrder = order;
}

/** Disables a rescue system that was not started within an hour. */
export function rescueExpires(lab: Lab, name: string, order: number): void {
  if (hetzner(lab).servers[name]?.rescueOrder !== order) return;
  ordered(lab, name, undefined);
  if (allServers(lab).some((server) => server.name === name && server.rescueNext)) hosts(lab).rescueNext(lab, name, undefined);
}
