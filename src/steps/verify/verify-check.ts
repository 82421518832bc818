import { type Check, check, type Finding, type Read } from "../../engine/step.ts";
import type { Cluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { type Looks, looksAt } from "./looks.ts";

interface Spec {
  /** "verify/etcd" without its stage. */
  id: string;
  title: string;
  /** The name of the condition. */
  until: string;
  /** Replaces the default. */
  patienceMs?: number;
  /** The steps that must have succeeded before; without it, no addon step. */
  needs?: "network" | "addons";
  look(see: Looks, c: Read): Promise<Finding[]>;
}

/** A check of a running cluster that is repeated for a while until it passes. */
export function verifyCheck(cluster: Cluster, { id, title, until, patienceMs, needs, look }: Spec): Check {
  return check({
    id: `verify/${id}`,
    stage: "verify",
    title,
    needs: [...cluster.after, ...((needs && cluster[needs]) ?? [])],
    after: cluster.addons ?? [],
    run: (c) => {
      let isFirst = true;
      return eventually(
        until,
        c,
        () => {
          const see = looksAt(cluster, c, isFirst);
          isFirst = false;
          return look(see, c);
        },
        patienceMs,
      );
    },
  });
}

/** Returns the problems, or one ok finding. */
export function orFine(problems: readonly Finding[], code: string, message: string): Finding[] {
  return problems.length > 0 ? [...problems] : [{ level: "ok", code, message }];
}
