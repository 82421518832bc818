import { MOST_NODES } from "../pools.ts";
import type { Check } from "./facts.ts";

/** Checks the number of control planes, and that some node can run workloads. */
export const controlPlanes: Check = ({ draft, pools }, report) => {
  const nodes = draft.nodes;
  // A role that could not be read may be any.
  if (nodes === undefined || nodes.length === 0 || nodes.some((node) => node?.role === undefined)) return;
  if (pools.length === 0) {
    report.problem(["nodes"], { message: `nodes defines more than ${MOST_NODES} nodes`, hint: "lower the counts", on: "key" });
    return;
  }
  const count = (role: string) => pools.filter((pool) => pool.role === role).reduce((sum, pool) => sum + pool.nodes.length, 0);
  const control = count("controlplane");
  if (control === 0)
    report.problem(["nodes"], {
      message: "nodes has no control plane",
      hint: "set role: controlplane on at least one node",
      on: "key",
    });
  if (control > 0 && control % 2 === 0)
    report.warn(["nodes"], {
      message: `${control} control planes survive no more failures than ${control - 1}`,
      hint: `use ${control - 1} or ${control + 1}: etcd needs more than half of them`,
      on: "key",
    });
  if (count("worker") === 0 && draft.cluster?.scheduleOnControlPlanes === false)
    report.warn(["cluster", "scheduleOnControlPlanes"], {
      message: "no node will run workloads: there are no workers, and scheduleOnControlPlanes is false",
      hint: "remove scheduleOnControlPlanes, or add a worker",
    });
};
