import type { Check, Finding } from "../../engine/step.ts";
import type { Service } from "../../talos/api/talos-node.ts";
import type { Asked } from "../../talos/health/asked.ts";
import { serviceProblems } from "../../talos/health/services.ts";
import type { Cluster } from "./cluster.ts";
import { verifyCheck } from "./verify-check.ts";

/** Talos' check 1: etcd runs and is healthy on every control plane; otherwise reports the remaining quorum. */
export function etcdHealthy(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "etcd",
    title: "etcd",
    until: "etcd is healthy on every control plane",
    look: async (see) => {
      const asked = await see.services();
      const judged = asked.map((one) => problemsOf(one));
      return [...judged.flat(), ...quorum(judged.filter(([first]) => first?.level === "ok").length, asked.length)];
    },
  });
}

function problemsOf(one: Asked<readonly Service[]>): Finding[] {
  const { name } = one.node;
  if (one.is === "unseen")
    return [{ ...one.why, code: "ETCD", message: `${name}: unable to query etcd: ${bare(one.why, name)}` }];
  const problems = serviceProblems([one], "etcd", "ETCD");
  return problems.length > 0 ? problems : [{ level: "ok", code: "ETCD", message: `${name}: etcd is healthy` }];
}

const bare = ({ message }: Finding, name: string) => message.replace(`${name}: `, "");

/** Only for more than one member: a single one is its own quorum. */
function quorum(healthy: number, all: number): Finding[] {
  const needed = Math.floor(all / 2) + 1;
  if (healthy === all) return [];
  const members = `${healthy} of ${all} members are healthy, and it needs ${needed}`;
  if (healthy < needed) return [{ level: "fail", code: "ETCD_QUORUM", message: `etcd has lost its quorum: ${members}` }];
  const spare = healthy - needed;
  const rest = spare === 0 ? "it stops when one more is lost" : `it survives the loss of ${spare} more`;
  return [{ level: "warn", code: "ETCD_QUORUM", message: `etcd still has its quorum: ${members}; ${rest}` }];
}
