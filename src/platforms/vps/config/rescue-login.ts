import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import type { VpsDraft, VpsPool } from "./draft.ts";

type Written = VpsPool["settings"]["ssh"];

/** Every place where it is said how to log in to a pool's servers, the nearest last. */
function places(draft: VpsDraft, pool: VpsPool): { path: Path; value: NonNullable<Written> }[] {
  const common = draft.vps?.ssh;
  return [...(common === undefined ? [] : [{ path: ["vps", "ssh"], value: common }]), ...pool.everywhere("ssh")];
}

/** How to log in to a pool's servers: each key from the nearest place that says it. */
export function loginOf(draft: VpsDraft, pool: VpsPool): NonNullable<Written> & { keyAt?: string } {
  const at = loginPath(draft, pool, "key");
  return {
    ...Object.assign({}, ...places(draft, pool).map(({ value }) => value)),
    ...(at !== undefined && { keyAt: pathName(at) }),
  };
}

/** Where one of its keys is written. */
export function loginPath(draft: VpsDraft, pool: VpsPool, key: keyof NonNullable<Written>): Path | undefined {
  const last = places(draft, pool).findLast(({ value }) => Object.hasOwn(value, key));
  return last && [...last.path, key];
}
