import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Check } from "./facts.ts";

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
