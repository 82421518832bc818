import type { Check } from "../../engine/step.ts";
import { etcdAlarms } from "../../talos/health/etcd-members.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** etcd says so when it is full or corrupt, and only when asked. Any member knows of all alarms. */
export function etcdAlarmsNone(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "etcd-alarms",
    title: "alarms of etcd",
    until: "etcd raises no alarm",
    // An alarm stays until somebody disarms it.
    patienceMs: 10_000,
    look: async (see, { signal }) => {
      const heard = (await see.etcdMembers()).find((one) => one.is === "said");
      // Then it is not healthy, which another check says.
      if (heard?.is !== "said") return [];
      const alarms = await cluster.talos.node(heard.node.ip).etcdAlarms(signal);
      return orFine(etcdAlarms(alarms, heard.answer), "ETCD_ALARM", "etcd raises no alarm");
    },
  });
}
