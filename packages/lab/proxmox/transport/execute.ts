import type { Json } from "@talosmith/lib/json.ts";
import type { Incoming } from "../../kernel/answer.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { authenticate, Dismissal } from "../access/authenticate.ts";
import { mayAt, requirePermission } from "../access/permission.ts";
import { requireReachable, requireWritable } from "../hosts.ts";
import { NODE, STORAGE, VMID } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { type RawParameters, verifyParameters } from "../parameters/schema.ts";
import { badParameters, forbidden, SimulatedError } from "../refusal.ts";
import { releaseOf } from "../release.ts";
import { type ApiReply, inRelease, type Later, type Method } from "../routes/route.ts";
import { proxmoxState } from "../state.ts";
import { HttpRefusal, type RequestTarget, readBody } from "./request.ts";

export interface Routed {
  params: Record<string, string>;
  handler: Method;
}

export interface Execution {
  lab: Lab;
  /** The host that received the call. */
  entry: string;
  incoming: Incoming;
  target: RequestTarget;
  routed: Routed | undefined;
  fault: string | undefined;
}

const UPLOAD = /^\/nodes\/[^/]+\/storage\/([^/]+)\/upload$/;
const TEXT: Property = { type: "string" };
const IN_PATHS: Readonly<Record<string, Property>> = { node: NODE, vmid: VMID, storage: STORAGE };

/** Executes a call after all checks in Proxmox's order (docs/facts/proxmox.md#order-of-checks): login, route, privileges, host, parameters. */
export function execute({ lab, entry, incoming, target, routed, fault }: Execution): Json | ApiReply | Later {
  const state = proxmoxState(lab);
  const { method } = incoming;
  const { id: caller, byToken } = authenticate(lab, method, target.path, incoming.headers);
  const uploadTo = method === "POST" ? UPLOAD.exec(target.path)?.[1] : undefined;
  if (uploadTo !== undefined && !mayAt(state, caller, `/storage/${uploadTo}`, "Datastore.AllocateTemplate"))
    throw new Dismissal(403, `Permission check failed (/storage/${uploadTo}, Datastore.AllocateTemplate)`);
  const body = readBody(incoming, uploadTo !== undefined);
  if (target.formatter === undefined) throw new HttpRefusal(501, `no formatter for uri ${target.path}, ${target.format}`);
  if (!routed || routed.handler.since?.(releaseOf(state)) === false)
    throw new SimulatedError(501, `Method '${method} ${target.path}' not implemented`);
  const path = { ...routed.params };
  const given = merge(path, body.params, body.file?.name);
  if (routed.handler.ticketOnly && byToken)
    throw forbidden(`URI '${target.path}' not available with API token, need proper ticket.`);
  return perform(lab, { entry, caller, path, given, fault, ...(body.file && { file: body.file }) }, routed.handler);
}

export interface Performance {
  entry: string;
  caller: string;
  path: Record<string, string>;
  given: RawParameters;
  fault: string | undefined;
  file?: { name: string; bytes: Buffer };
}

/** Continues once the caller and the method are known. */
export function perform(
  lab: Lab,
  { entry, caller, path, given, fault, file }: Performance,
  api: Method,
): Json | ApiReply | Later {
  const state = proxmoxState(lab);
  const release = releaseOf(state);
  requirePermission(state, caller, inRelease(api.permission, release), given);
  // "localhost" only decides where the call goes: privileges and responses use the given name.
  const node = path.node === undefined || path.node === "localhost" ? entry : path.node;
  requireReachable(state, entry, node);
  const params = verifyParameters({ ...pathProperties(path), ...inRelease(api.parameters, release) }, given, release);
  if (api.method !== "GET") requireWritable(state, api.path);
  return api.handler({ lab, state, caller, params, node, entry, fault, ...(file && { file }) });
}

function merge(path: Record<string, string>, body: RawParameters, filename: string | undefined): RawParameters {
  const errors: Record<string, string> = {};
  for (const [key, value] of Object.entries(body))
    if (path[key] !== undefined && path[key] !== value && String(value) !== path[key])
      errors[key] = "duplicate parameter (already defined in URI) with conflicting values!";
  if (Object.keys(errors).length > 0) throw badParameters(errors);
  return { ...body, ...path, ...(filename !== undefined && { filename }) };
}

function pathProperties(path: Record<string, string>): Properties {
  return Object.fromEntries(Object.keys(path).map((name) => [name, IN_PATHS[name] ?? TEXT]));
}
