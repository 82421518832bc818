import type { Incoming, Reply, TaskFault } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import type { Params, Route } from "../kernel/router.ts";
import { actionById, actionView, listActions } from "./actions.ts";
import { byId, hetzner } from "./call.ts";
import { applyFirewall, removeFirewall, setRules } from "./firewall-actions.ts";
import { changeFirewall, createFirewall, deleteFirewall, firewallById, getFirewall, listFirewalls } from "./firewalls.ts";
import { json } from "./refused.ts";
import { actOnServer } from "./server-actions.ts";
import { allServers, changeServer, getServer, listServers, serverById } from "./servers.ts";
import { changeSshKey, createSshKey, deleteSshKey, getSshKey, listSshKeys } from "./ssh-keys.ts";

interface RouteCall<P> {
  lab: Lab;
  incoming: Incoming;
  params: P;
  fault: TaskFault | undefined;
}

interface RouteHandler<P> {
  /** The subject of the call, for faults and the record. */
  resource(lab: Lab, params: P): string;
  handle(asked: RouteCall<P>): Reply;
}

export type AnyRouteHandler = RouteHandler<Record<string, string>>;

/** The router fills in exactly the parameters in its pattern; the cast tells the compiler so. */
function route<P extends string>(
  method: string,
  pattern: P,
  resource: ResourceLabel<P>,
  handle: RouteHandler<Params<P>>["handle"],
): Route<AnyRouteHandler> {
  const answer: RouteHandler<Params<P>> = { resource: typeof resource === "string" ? () => resource : resource, handle };
  return { method, pattern: `/v1${pattern}`, handler: answer as unknown as AnyRouteHandler };
}

type ResourceLabel<P extends string> = string | RouteHandler<Params<P>>["resource"];

const server = (lab: Lab, { id }: { id: string }) => `server ${byId(allServers(lab), id)?.name ?? id}`;
const firewall = (lab: Lab, { id }: { id: string }) => `firewall ${byId(hetzner(lab).firewalls, id)?.name ?? id}`;
const sshKey = (lab: Lab, { id }: { id: string }) => `ssh key ${byId(hetzner(lab).sshKeys, id)?.name ?? id}`;
const action = (_: Lab, { action }: { action: string }) => `action ${action}`;

const showAction = ({ lab, params }: RouteCall<{ action: string }>) =>
  json(200, { action: actionView(actionById(lab, params.action)) });

export const routes: readonly Route<AnyRouteHandler>[] = [
  route("GET", "/servers", "servers", ({ lab, incoming }) => listServers(lab, incoming)),
  route("GET", "/servers/:id", server, ({ lab, params }) => getServer(lab, params.id)),
  route("PUT", "/servers/:id", server, ({ lab, params, incoming }) => changeServer(lab, params.id, incoming)),
  route("GET", "/servers/:id/actions/:action", action, ({ lab, params, ...rest }) => {
    serverById(lab, params.id);
    return showAction({ lab, params, ...rest });
  }),
  ...["enable_rescue", "disable_rescue", "reset", "reboot", "poweron", "poweroff"].map((name) =>
    route("POST", `/servers/:id/actions/${name}` as "/servers/:id", server, ({ lab, params, incoming, fault }) =>
      actOnServer(lab, params.id, name, incoming, fault),
    ),
  ),
  route("GET", "/actions", "actions", ({ lab, incoming }) => listActions(lab, incoming)),
  route("GET", "/actions/:action", action, showAction),

  route("GET", "/ssh_keys", "ssh keys", ({ lab, incoming }) => listSshKeys(lab, incoming)),
  route("POST", "/ssh_keys", "ssh key", ({ lab, incoming }) => createSshKey(lab, incoming)),
  route("GET", "/ssh_keys/:id", sshKey, ({ lab, params }) => getSshKey(lab, params.id)),
  route("PUT", "/ssh_keys/:id", sshKey, ({ lab, params, incoming }) => changeSshKey(lab, params.id, incoming)),
  route("DELETE", "/ssh_keys/:id", sshKey, ({ lab, params }) => deleteSshKey(lab, params.id)),

  route("GET", "/firewalls", "firewalls", ({ lab, incoming }) => listFirewalls(lab, incoming)),
  route("POST", "/firewalls", "firewall", ({ lab, incoming, fault }) => createFirewall(lab, incoming, fault)),
  route("GET", "/firewalls/:id", firewall, ({ lab, params }) => getFirewall(lab, params.id)),
  route("PUT", "/firewalls/:id", firewall, ({ lab, params, incoming }) => changeFirewall(lab, params.id, incoming)),
  route("DELETE", "/firewalls/:id", firewall, ({ lab, params }) => deleteFirewall(lab, params.id)),
  route("GET", "/firewalls/:id/actions/:action", action, ({ lab, params, ...rest }) => {
    firewallById(lab, params.id);
    return showAction({ lab, params, ...rest });
  }),
  route("POST", "/firewalls/:id/actions/set_rules", firewall, ({ lab, params, incoming, fault }) =>
    setRules(lab, firewallById(lab, params.id), incoming, fault),
  ),
  route("POST", "/firewalls/:id/actions/apply_to_resources", firewall, ({ lab, params, incoming, fault }) =>
    applyFirewall(lab, firewallById(lab, params.id), incoming, fault),
  ),
  route("POST", "/firewalls/:id/actions/remove_from_resources", firewall, ({ lab, params, incoming, fault }) =>
    removeFirewall(lab, firewallById(lab, params.id), incoming, fault),
  ),
];
