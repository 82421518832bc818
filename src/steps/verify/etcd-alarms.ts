import type { Check } from "../../engine/step.ts";
import { etcdAlarms } from "../../talos/health/etcd-members.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Checks etcd's alarms for full or corrupt members. Any member knows all alarms. */
export function etcdAlarmsNone(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "etcd-alarms",
    title: "alarms of etcd",
    until: "etcd raises no alarm",
    // An alarm stays until it is disarmed.
    atMostMs: 10_000,
    look: async (see, { signal }) => {
      const heard = (await see.etcdMembers()).find((one) => one.is === "said");
      // Then etcd is not healthy, which another check reports.
      if (heard?.is !== "said") return [];
      const alarms = await cluster.talos.node(heard.node.ip).etcdAlarms(signal);
      return orFine(etcdAlarms(alarms, heard.answer), "ETCD_ALARM", "etcd raises no alarm");
    },
  });
}
