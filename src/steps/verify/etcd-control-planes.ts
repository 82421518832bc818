import type { Check } from "../../engine/step.ts";
import { judged } from "../../talos/health/asked.ts";
import { strangeMembers } from "../../talos/health/etcd-members.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 3: the members of etcd are exactly the control planes of the config. */
export function etcdControlPlanes(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "etcd-control-planes",
    title: "members of etcd and control planes",
    until: "the members of etcd are the control planes of the config",
    look: async (see) => {
      const asked = await see.etcdMembers();
      const voters = see.controlPlanes.map(({ name, ip, secondIp, nics }) => ({
        name,
        addresses: [ip, ...(secondIp === undefined ? [] : [secondIp]), ...nics.flatMap((nic) => nic.ip).map(withoutPrefix)],
      }));
      // Members may disagree for a while after a change; any of them will do here.
      const heard = asked.find((one) => one.is === "said");
      const problems = heard?.is === "said" ? strangeMembers(heard.answer, voters) : judged(asked, () => []);
      const fine = `etcd's ${voters.length === 1 ? "member is the control plane" : `${voters.length} members are the control planes`} of the config`;
      return orFine(problems, "ETCD_MEMBERS", fine);
    },
  });
}

function withoutPrefix(address: string): string {
  return address.split("/")[0] ?? address;
}
