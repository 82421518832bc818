import { messageOf } from "@talosmith/lib/errors.ts";
import type { Conversation, Handling, Incoming, NotYet, Reply } from "../../kernel/answer.ts";
import type { Lab } from "../../kernel/kernel.ts";
import type { Router } from "../../kernel/router.ts";
import { Dismissal } from "../access/authenticate.ts";
import { durations } from "../durations.ts";
import { parseUpid } from "../jobs/upid.ts";
import type { RawParameters } from "../parameters/schema.ts";
import { SimulatedError } from "../refusal.ts";
import { Later, type Method } from "../routes/route.ts";
import { SERVICE } from "../state.ts";
import { execute } from "./execute.ts";
import { bare, type Formatter, refusal, success } from "./reply.ts";
import { HttpRefusal, type RequestTarget, readBody, readTarget } from "./request.ts";

/** How long the proxy waits for the daemon; the work continues afterwards (docs/facts/proxmox.md#forwarding-timeout). In virtual milliseconds. */
const FORWARDING = 30_000;
/** How often a call that waits for a worker checks again, in virtual milliseconds. */
const LOOK_AGAIN = 50;

/** The HTTP behaviour of Proxmox's API on the host that receives a call. */
export function proxmoxConversation(lab: Lab, entry: string, router: Router<Method>): Conversation {
  return {
    understand: (incoming) => understand(lab, entry, router, incoming),
    refuse: ({ status, message }, incoming) => refusal(lab, incoming, formatterOf(incoming), new SimulatedError(status, message)),
    fail: (error, incoming) => {
      const text = messageOf(error);
      return refusal(lab, incoming, formatterOf(incoming), new SimulatedError(500, `the lab itself failed: ${text}`));
    },
  };
}

function formatterOf(incoming: Incoming): Formatter {
  return incoming.path.startsWith("/api2/extjs") ? "extjs" : "json";
}

function understand(lab: Lab, entry: string, router: Router<Method>, incoming: Incoming): Handling {
  const target = attempt(() => readTarget(incoming));
  if (target instanceof SimulatedError) return answered(lab, incoming, target);
  // Decoded before routing: a slash in a volume id may be encoded or not.
  const found = router(incoming.method, target.path.split("/").map(encodeURIComponent).join("/"));
  const routed = found.kind === "found" ? found : undefined;
  let later: Later | undefined;
  let waitingSince = 0;
  let delayed: Reply | undefined;
  // Most workers finish at once: the first check follows directly.
  let lookAgain = 0;
  const handle = (fault: string | undefined): Reply | NotYet => {
    if (delayed) return delayed;
    const outcome = attempt(() => {
      const answer = later?.poll();
      if (later && !answer && !later.outside && lab.now() - waitingSince >= FORWARDING)
        throw new SimulatedError(596, "Connection timed out");
      if (later) return answer;
      const result = execute({ lab, entry, incoming, target, routed, fault });
      if (!(result instanceof Later)) return { data: result };
      later = result;
      waitingSince = lab.now();
      return undefined;
    });
    if (outcome === undefined) {
      const notYet = lookAgain;
      lookAgain = LOOK_AGAIN;
      return { notYet };
    }
    if (!(outcome instanceof SimulatedError)) return success(lab, incoming, target.formatter ?? "json", outcome.data);
    const reply = asReply(lab, incoming, target, outcome);
    if (!(outcome instanceof Dismissal) && outcome.status !== 401) return reply;
    delayed = reply;
    return { notYet: durations.refusedLogin };
  };
  return {
    call: {
      service: SERVICE,
      site: routed?.site ?? `${incoming.method} (unknown)`,
      resource: routed ? resourceOf(incoming, routed.params) : target.path,
      mutating: incoming.method !== "GET",
    },
    handle: (fault) => handle(fault?.message),
  };
}

function asReply(lab: Lab, incoming: Incoming, target: RequestTarget, refused: SimulatedError): Reply {
  if (refused instanceof HttpRefusal) return bare(lab, refused.status, refused.message, refused.body);
  return refusal(lab, incoming, target.formatter ?? "json", refused);
}

function answered(lab: Lab, incoming: Incoming, refused: SimulatedError): Handling {
  return {
    call: {
      service: SERVICE,
      site: `${incoming.method} (unknown)`,
      resource: incoming.path,
      mutating: incoming.method !== "GET",
    },
    handle: () => bare(lab, refused.status, refused.message, refused instanceof HttpRefusal ? refused.body : ""),
  };
}

/** Refusals are results; any other error is a bug of the lab and is passed on. */
function attempt<T>(work: () => T): T | SimulatedError {
  try {
    return work();
  } catch (error) {
    if (error instanceof SimulatedError) return error;
    throw error;
  }
}

/** The subject of a call in words that do not change between runs, for faults and the recorder. */
function resourceOf(incoming: Incoming, path: Record<string, string>): string {
  const body = bodyOf(incoming);
  const { node, vmid, storage, upid, volume, poolid, userid, roleid, groupid, sid, id } = path;
  const task = upid === undefined ? undefined : parseUpid(upid);
  if (task) return `task ${task.type} ${task.id}`.trim();
  const machine = body.newid ?? vmid ?? (storage === undefined ? body.vmid : undefined);
  if (machine !== undefined) return `vm ${machine}`;
  if (storage !== undefined) return [`${node ?? "*"}:${storage}`, volume ?? body.filename].filter(Boolean).join(" ");
  if (poolid ?? body.poolid) return `pool ${poolid ?? body.poolid}`;
  if (userid !== undefined) return `user ${userid}`;
  if (roleid !== undefined) return `role ${roleid}`;
  if (groupid !== undefined) return `group ${groupid}`;
  if (sid ?? body.sid) return `ha ${sid ?? body.sid}`;
  if (id !== undefined) return `mapping ${id}`;
  return node === undefined ? "cluster" : `node ${node}`;
}

/** The parameters, with the file name of an upload; an unreadable body is refused later. */
function bodyOf(incoming: Incoming): RawParameters {
  try {
    const { params, file } = readBody(incoming, /\/upload$/.test(incoming.path));
    return file ? { ...params, filename: file.name } : params;
  } catch {
    return {};
  }
}
