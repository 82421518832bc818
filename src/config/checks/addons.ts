import type { Check } from "./facts.ts";
import { isBare } from "./image.ts";

/** Cilium is set up only where it is the pod network. */
export const addons: Check = ({ draft }, report) => {
  const cilium = draft.addons?.cilium;
  if (cilium === undefined) return;
  const cni = draft.cluster?.cni;
  if (draft.cluster !== undefined && cni !== "cilium")
    report.problem(["addons", "cilium"], {
      message: `addons.cilium is set, and cluster.cni is ${cni ?? "flannel, the default"}`,
      hint: "set cluster.cni: cilium, or remove addons.cilium",
      on: "key",
    });
  if (cilium.repository !== undefined && isBare(cilium.repository))
    report.warn(["addons", "cilium", "repository"], {
      message: "addons.cilium.repository is reached without TLS, so the chart could be changed on its way",
      hint: "use https://",
    });
};
