import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { createRouter, type Router } from "../../kernel/router.ts";
import { ROOT } from "../../proxmox/access/acl.ts";
import type { Properties } from "../../proxmox/parameters/property.ts";
import type { RawParameters } from "../../proxmox/parameters/schema.ts";
import { SimulatedError } from "../../proxmox/refusal.ts";
import { releaseOf } from "../../proxmox/release.ts";
import { ApiReply, inRelease, Later, type Method } from "../../proxmox/routes/route.ts";
import { routes } from "../../proxmox/routes/routes.ts";
import { proxmoxState } from "../../proxmox/state.ts";
import { perform } from "../../proxmox/transport/execute.ts";

export type Verb = Method["method"];

const LOOK_AGAIN = 100;

let router: Router<Method> | undefined;

/** The method behind a path and what it takes besides, when this release has one. */
export function findMethod(
  lab: Lab,
  verb: Verb,
  path: string,
): { api: Method; inPath: Record<string, string>; takes: Properties } | undefined {
  router ??= createRouter(routes.map((api) => ({ method: api.method, pattern: api.path, handler: api })));
  const found = router(verb, path.split("/").map(encodeURIComponent).join("/"));
  if (found.kind !== "found") return undefined;
  const api = found.handler;
  const release = lab.turn(() => releaseOf(proxmoxState(lab)));
  if (api.since?.(release) === false) return undefined;
  return { api, inPath: found.params, takes: inRelease(api.parameters, release) };
}

/** The API without its server: the caller is root, on one of the hosts. Throws a SimulatedError. */
export async function callAsRoot(lab: Lab, entry: string, verb: Verb, path: string, given: RawParameters): Promise<Json> {
  const found = findMethod(lab, verb, path);
  if (!found) throw new SimulatedError(501, `Method '${verb} ${path}' not implemented`);
  const { api, inPath } = found;
  const first = lab.turn(() =>
    perform(lab, { entry, caller: ROOT, path: inPath, given: { ...given, ...inPath }, fault: undefined }, api),
  );
  if (!(first instanceof Later)) return first instanceof ApiReply ? first.data : first;
  for (;;) {
    const answer = lab.turn(() => first.poll());
    if (answer) return answer.data;
    await lab.sleep(LOOK_AGAIN);
  }
}
