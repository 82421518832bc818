import { type Check, check } from "../../../engine/step.ts";
import { pools } from "../client/pools.ts";
import type { Site } from "../site.ts";
import { ok, warn } from "./finding.ts";
import { createsMachine } from "./kinds.ts";
import { PREFLIGHT } from "./version.ts";

/** Checks that the pools of machines exist. Proxmox does not list pools that the login may not see. */
export function poolsAreThere({ env, client }: Site): Check[] {
  const wanted = [...new Set(env.config.nodes.flatMap((node) => node.pool ?? []))];
  if (wanted.length === 0) return [];
  return [
    check({
      id: "preflight/pools",
      stage: "preflight",
      title: "pools",
      needs: [{ step: PREFLIGHT }],
      before: createsMachine,
      run: async (c) => {
        const there = await pools(client, c.signal);
        return wanted.map((pool) => {
          if (there.includes(pool)) return ok("POOL", `pool ${pool}`);
          const first = env.config.nodes.find((node) => node.pool === pool);
          return warn(
            "NO_POOL",
            `there is no pool ${pool}, or this login may not see it`,
            `if it does not exist, as root on ${env.config.proxmox.hosts[0]}: pveum pool add ${pool}`,
            env.where(["nodes", first?.name ?? "", "pool"]),
          );
        });
      },
    }),
  ];
}
