import type { Json } from "@talosmith/lib/json.ts";
import { splitAuthId } from "../access/acl.ts";
import { mayAt, requirePrivileges } from "../access/permission.ts";
import { interruptJob, type Task } from "../jobs/job.ts";
import { parseUpid, type Upid } from "../jobs/upid.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT, VMID } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters } from "../refusal.ts";
import { type ApiCall, ApiReply, type Method, route } from "./route.ts";

const count: Property = { type: "integer", optional: true, minimum: 0 };
const moment: Property = { type: "integer", optional: true };
const LIMIT = 50;

const LIST: Properties = {
  errors: OPTIONAL_BOOLEAN,
  limit: count,
  since: moment,
  source: { type: "string", optional: true, enum: ["archive", "active", "all"] },
  start: count,
  statusfilter: OPTIONAL_LIST,
  typefilter: OPTIONAL_TEXT,
  until: moment,
  userfilter: OPTIONAL_TEXT,
  vmid: { ...VMID, optional: true },
};

/** Whether a caller owns a task: a user owns its tasks and those of its tokens, a token only its own (docs/facts/proxmox.md#task-rights). */
function isOwner(caller: string, task: Pick<Task, "user">): boolean {
  return task.user === caller || (splitAuthId(task.user).user === caller && splitAuthId(caller).token === undefined);
}

function upidOf({ params }: ApiCall): Upid {
  const parsed = parseUpid(params.upid as string);
  if (!parsed) throw badParameters({ upid: "unable to parse worker upid" });
  return parsed;
}

function taskOf(call: ApiCall): Task | undefined {
  return call.state.tasks.find((known) => known.upid === call.params.upid && known.node === call.node);
}

function existingTask(call: ApiCall): Task {
  upidOf(call);
  const task = taskOf(call);
  if (!task) throw badParameters({ upid: "no such task" });
  return task;
}

/** The UPID contains the owner, whether or not the task is known. */
function requireReadable(call: ApiCall): void {
  if (!isOwner(call.caller, upidOf(call)))
    requirePrivileges(call.state, call.caller, `/nodes/${call.params.node}`, ["Sys.Audit"]);
}

/** For a token's task, the user and the token separately. */
function asUser(task: Task): Record<string, string> {
  const { user, token } = splitAuthId(task.user);
  return { user, ...(token !== undefined && { tokenid: token }) };
}

function summary(task: Task): Record<string, Json> {
  const { upid, node, pid, pstart, starttime, type, id } = task;
  return {
    upid,
    node,
    pid,
    pstart,
    starttime,
    type,
    id: decodeURIComponent(id),
    ...asUser(task),
    ...(task.endtime !== undefined && { endtime: task.endtime }),
    ...(task.exitstatus !== undefined && { status: task.exitstatus }),
  };
}

function list(call: ApiCall): ApiReply {
  const { state, caller, node, params } = call;
  const source = params.source ?? "archive";
  const all = mayAt(state, caller, `/nodes/${params.node}`, "Sys.Audit");
  const types = splitList(params.typefilter);
  const wanted = state.tasks.filter((task) => {
    const running = task.endtime === undefined;
    return (
      task.node === node &&
      (source === "all" || running === (source === "active")) &&
      (all || isOwner(caller, task)) &&
      (params.vmid === undefined || task.id === params.vmid) &&
      (types.length === 0 || types.includes(task.type)) &&
      (params.userfilter === undefined || task.user.includes(params.userfilter)) &&
      (params.errors !== "1" || (task.exitstatus !== undefined && task.exitstatus !== "OK")) &&
      (params.since === undefined || task.starttime >= Number(params.since)) &&
      (params.until === undefined || task.starttime <= Number(params.until)) &&
      (params.statusfilter === undefined || splitList(params.statusfilter).includes(statusKind(task)))
    );
  });
  const newestFirst = [...wanted].reverse();
  const start = Number(params.start ?? 0);
  const shown = newestFirst.slice(start, start + Number(params.limit ?? LIMIT));
  return new ApiReply(
    shown.map((task) => ({ ...summary(task), ...(task.endtime === undefined && { status: "RUNNING" }) })),
    newestFirst.length,
  );
}

function statusKind({ exitstatus }: Task): string {
  if (exitstatus === undefined) return "unknown";
  if (exitstatus === "OK") return "ok";
  return exitstatus.startsWith("WARNINGS: ") ? "warning" : "error";
}

function status(call: ApiCall): Json {
  const task = existingTask(call);
  requireReadable(call);
  const { endtime: _, status: __, ...rest } = summary(task);
  if (task.exitstatus === undefined) return { ...rest, status: "running" };
  return { ...rest, status: "stopped", exitstatus: task.exitstatus };
}

/** Here an unknown task is not an error: its log is a line that says so. */
function log(call: ApiCall): ApiReply {
  requireReadable(call);
  const task = taskOf(call);
  if (!task) return new ApiReply([{ n: 1, t: "unable to open file - No such file or directory" }], 1);
  const start = Number(call.params.start ?? 0);
  const limit = Number(call.params.limit ?? LIMIT);
  const lines = task.log.length === 0 ? ["no content"] : task.log;
  const shown = lines.slice(start, limit === 0 ? undefined : start + limit);
  return new ApiReply(
    shown.map((text, index) => ({ n: start + index + 1, t: text })),
    lines.length,
  );
}

function abort(call: ApiCall): Json {
  const task = existingTask(call);
  if (!isOwner(call.caller, task)) requirePrivileges(call.state, call.caller, `/nodes/${call.params.node}`, ["Sys.Modify"]);
  const job = call.state.jobs.find((known) => known.upid === task.upid);
  if (job) interruptJob(call.lab, job, "received interrupt");
  return null;
}

/** Recent tasks of all hosts. */
function ofCluster({ state, caller }: ApiCall): Json {
  return state.tasks
    .filter((task) => isOwner(caller, task) || mayAt(state, caller, `/nodes/${task.node}`, "Sys.Audit"))
    .slice(-25)
    .reverse()
    .map(summary);
}

const ALL = { permission: { user: "all" } } as const;

export const taskRoutes: Method[] = [
  route("GET", "/nodes/:node/tasks", { ...ALL, parameters: LIST }, list),
  route("GET", "/nodes/:node/tasks/:upid", ALL, () => [{ name: "log" }, { name: "status" }]),
  route("DELETE", "/nodes/:node/tasks/:upid", ALL, abort),
  route("GET", "/nodes/:node/tasks/:upid/status", ALL, status),
  route(
    "GET",
    "/nodes/:node/tasks/:upid/log",
    { ...ALL, parameters: { start: count, limit: count, download: OPTIONAL_BOOLEAN } },
    log,
  ),
  route("GET", "/cluster/tasks", ALL, ofCluster),
];
