import type { Json } from "@talosmith/lib/json.ts";
import type { Incoming, Reply, TaskFault } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import { byId, hetzner, moment, pageReply } from "./call.ts";
import { Refused } from "./refused.ts";
import type { ActionState } from "./state.ts";

export const ACTION_ENDS = "hetzner: action ends";

/** The effect of an action when it succeeds; by name, so that a snapshot can hold it. */
export type Effect = { does: string } & { [key: string]: Json };

interface Order {
  command: string;
  takesMs: number;
  resources: ActionState["resources"];
  effect: Effect;
  fault: TaskFault | undefined;
}

/** Starts an action that ends after the response. */
export function beginAction(lab: Lab, { command, takesMs, resources, effect, fault }: Order): ActionState {
  const action: ActionState = {
    id: lab.serial("hetzner action"),
    command,
    status: "running",
    started: lab.now(),
    resources,
  };
  hetzner(lab).actions.push(action);
  lab.schedule(ACTION_ENDS, takesMs, { id: action.id, effect, ...(fault && { fails: fault.message }) });
  return action;
}

/** Ends an action; true when it succeeded. */
export function endAction(lab: Lab, id: number, fails: string | undefined): boolean {
  const { actions, servers } = hetzner(lab);
  const action = byId(actions, id);
  for (const server of Object.values(servers)) if (server.lockedBy === id) delete server.lockedBy;
  if (action === undefined) return false;
  action.finished = lab.now();
  action.status = fails === undefined ? "success" : "error";
  if (fails !== undefined) action.error = { code: "action_failed", message: fails };
  return fails === undefined;
}

export function actionById(lab: Lab, id: string): ActionState {
  const action = byId(hetzner(lab).actions, id);
  if (action === undefined) throw new Refused("not_found", `action with ID '${id}' not found`);
  return action;
}

/** GET /actions?id=1&id=2: clients wait for several actions with one call. */
export function listActions(lab: Lab, incoming: Incoming): Reply {
  const ids = incoming.query.getAll("id");
  const statuses = incoming.query.getAll("status");
  const asked = hetzner(lab).actions.filter(
    ({ id, status }) => (ids.length === 0 || ids.includes(String(id))) && (statuses.length === 0 || statuses.includes(status)),
  );
  return pageReply("actions", asked, incoming, actionView);
}

export function actionView(action: ActionState): Json {
  return {
    id: action.id,
    command: action.command,
    status: action.status,
    progress: action.status === "running" ? 0 : 100,
    started: moment(action.started),
    finished: action.finished === undefined ? null : moment(action.finished),
    error: action.error ?? null,
    resources: action.resources.map(({ id, type }) => ({ id, type })),
  };
}
