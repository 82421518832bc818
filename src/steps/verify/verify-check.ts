import { type Check, check, type Finding, type Read } from "../../engine/step.ts";
import type { Cluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { type Looks, looksAt } from "./looks.ts";

interface Spec {
  /** "verify/etcd" without its stage. */
  id: string;
  title: string;
  /** What is waited for, as a sentence. */
  until: string;
  /** Instead of the usual. */
  patienceMs?: number;
  /** What must have succeeded before; nothing of what is installed when absent. */
  needs?: "network" | "addons";
  look(see: Looks, c: Read): Promise<Finding[]>;
}

/** A check of a running cluster, which is given time to become what it should be. */
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

/** What is wrong, or one line that nothing is. */
export function orFine(problems: readonly Finding[], code: string, message: string): Finding[] {
  return problems.length > 0 ? [...problems] : [{ level: "ok", code, message }];
}
