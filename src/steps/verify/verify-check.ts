import { type Check, check, type Finding, type Read } from "../../engine/step.ts";
import type { Cluster } from "./cluster.ts";
import { AFTER_CHANGES, eventually } from "./eventually.ts";
import { type Looks, looksAt } from "./looks.ts";

interface Spec {
  /** "verify/etcd" without its stage. */
  id: string;
  title: string;
  /** The name of the condition. */
  until: string;
  /** Looks again no longer than this. */
  atMostMs?: number;
  /** The steps that must have succeeded before; without it, no addon step. */
  needs?: "network" | "addons";
  look(see: Looks, c: Read): Promise<Finding[]>;
}

/** A check of a running cluster that is repeated until it passes, as long as the cluster's patience lasts. */
export function verifyCheck(
  cluster: Cluster,
  { id, title, until, atMostMs = Number.POSITIVE_INFINITY, needs, look }: Spec,
): Check {
  return check({
    id: `verify/${id}`,
    stage: "verify",
    title,
    needs: [...cluster.after, ...((needs && cluster[needs]) ?? [])],
    after: cluster.addons ?? [],
    run: (c) => {
      const { stillMs, comingMs } = cluster.patience?.() ?? AFTER_CHANGES;
      let isFirst = true;
      let see = looksAt(cluster, c, isFirst);
      return eventually(c, {
        name: until,
        patience: { stillMs: Math.min(stillMs, atMostMs), comingMs: Math.min(comingMs, atMostMs) },
        look: () => {
          see = looksAt(cluster, c, isFirst);
          isFirst = false;
          return look(see, c);
        },
        booting: () => see.booting(),
      });
    },
  });
}

/** Returns the problems, or one ok finding. */
export function orFine(problems: readonly Finding[], code: string, message: string): Finding[] {
  return problems.length > 0 ? [...problems] : [{ level: "ok", code, message }];
}
