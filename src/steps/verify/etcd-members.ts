import type { Check } from "../../engine/step.ts";
import { memberDisagreements } from "../../talos/health/etcd-members.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 2: every control plane names the same members of etcd. */
export function etcdMembers(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "etcd-members",
    title: "members of etcd",
    until: "all control planes name the same members of etcd",
    look: async (see) =>
      orFine(memberDisagreements(await see.etcdMembers()), "ETCD_MEMBERS", "all control planes name the same members of etcd"),
  });
}
