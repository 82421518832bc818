import type { Json } from "../../../lib/json.ts";
import type { Incoming } from "../../kernel/answer.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { authenticate, Dismissal } from "../access/authenticate.ts";
import { mayAt, requirePermission } from "../access/permission.ts";
import { NODE, STORAGE, VMID } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { type RawParameters, verifyParameters } from "../parameters/schema.ts";
import { badParameters, died, forbidden, Refusal } from "../refusal.ts";
import type { Answer, Later, Method } from "../routes/route.ts";
import { hostNamed, proxmoxState } from "../state.ts";
import { readBody, type Target } from "./request.ts";

export interface Execution {
  lab: Lab;
  /** The host that is asked. */
  entry: string;
  incoming: Incoming;
  target: Target;
  routed: { params: Record<string, string>; handler: Method } | undefined;
  fault: string | undefined;
}

const UPLOAD = /^\/nodes\/[^/]+\/storage\/([^/]+)\/upload$/;
const TEXT: Property = { type: "string" };
const IN_PATHS: Readonly<Record<string, Property>> = { node: NODE, vmid: VMID, storage: STORAGE };

/** One call, past every check in the order of proxmox.md 1.5: who, where to, may they, which host, are the parameters right. */
export function execute({ lab, entry, incoming, target, routed, fault }: Execution): Json | Answer | Later {
  const state = proxmoxState(lab);
  const { method } = incoming;
  const { id: caller, byToken } = authenticate(lab, method, target.path, incoming.headers);
  const uploadTo = method === "POST" ? UPLOAD.exec(target.path)?.[1] : undefined;
  if (uploadTo !== undefined && !mayAt(state, caller, `/storage/${uploadTo}`, "Datastore.AllocateTemplate"))
    throw new Dismissal(403, `Permission check failed (/storage/${uploadTo}, Datastore.AllocateTemplate)`);
  const body = readBody(incoming, uploadTo !== undefined);
  if (!routed) throw new Refusal(501, `Method '${method} ${target.path}' not implemented`);
  const { handler: api } = routed;
  const path = { ...routed.params };
  if (path.node === "localhost") path.node = entry;
  const given = merge(path, body.params, body.file?.name);
  if (api.ticketOnly && byToken) throw forbidden(`URI '${target.path}' not available with API token, need proper ticket.`);
  requirePermission(state, caller, api.permission, given);
  const node = path.node ?? entry;
  if (!hostNamed(state, node))
    throw died(`hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`);
  const params = verifyParameters({ ...pathProperties(path), ...api.parameters }, given);
  return api.handler({ lab, state, caller, params, node, entry, fault, ...(body.file && { file: body.file }) });
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
