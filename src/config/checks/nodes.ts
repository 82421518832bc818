import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { MOST_NODES } from "../pools.ts";
import { parseTaint } from "../schema/kubernetes-words.ts";
import { NAME } from "../schema/words.ts";
import type { Check } from "./facts.ts";

/** Checks that names with their numbers are valid host names and unique. */
export const names: Check = ({ pools }, report) => {
  const taken = new Set<string>();
  for (const pool of pools) {
    const path = pool.origin("name");
    const last = pool.nodes.at(-1)?.name;
    if (last !== undefined && !NAME.test(last))
      report.problem(path, {
        message: `${pathName(path)} is too long with its number`,
        hint: "shorten it: a host name has at most 63 characters",
        remark: `${last} has ${last.length} characters`,
      });
    const twice = pool.nodes.find(({ name }) => name !== undefined && taken.has(name))?.name;
    if (twice !== undefined)
      report.problem(path, {
        message: `${pathName(path)} creates a second node ${twice}`,
        hint: "give one of the two another name",
        remark: `${twice} exists already`,
      });
    for (const { name } of pool.nodes) if (name !== undefined) taken.add(name);
  }
};

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

/** Kubernetes' own names that a kubelet may give its node. */
const A_KUBELETS =
  /^((kubelet|node)\.kubernetes\.io\/|kubernetes\.io\/(hostname|arch|os)$|beta\.kubernetes\.io\/(arch|os|instance-type)$|(topology|failure-domain\.beta)\.kubernetes\.io\/(region|zone)$)/;
const OF_KUBERNETES = /(^|\.)(kubernetes|k8s)\.io\//;

/** Talos sets a worker's labels with the kubelet's rights, and Kubernetes' NodeRestriction refuses it names that others rely on. */
export const labels: Check = ({ pools }, report) => {
  for (const pool of pools) {
    if (pool.role !== "worker") continue;
    for (const { path, value } of pool.everywhere("labels"))
      for (const key of Object.keys(value))
        if (OF_KUBERNETES.test(key) && !A_KUBELETS.test(key))
          report.warn([...path, key], {
            message: `${pathName([...path, key])} is a label Kubernetes does not let a worker give itself`,
            hint: "choose a name of your own, or use kubectl label once the cluster is up",
            on: "key",
          });
  }
};

/** Checks that each taint key is used once, as in Talos. */
export const taints: Check = ({ pools }, report) => {
  for (const pool of pools)
    for (const { path, value } of pool.everywhere("taints")) {
      const keys = value.map((taint) => (typeof taint === "string" ? parseTaint(taint)?.key : taint?.key));
      for (const [index, key] of keys.entries())
        if (key !== undefined && keys.indexOf(key) !== index)
          report.problem([...path, index], {
            message: `${pathName([...path, index])} is a second taint with the key ${key}`,
            hint: "keep one of the two: Talos sets one taint for each key",
          });
    }
};
