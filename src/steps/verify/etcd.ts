import type { Check, Finding } from "../../engine/step.ts";
import type { Service } from "../../talos/api/talos-node.ts";
import { type Asked, judged } from "../../talos/health/asked.ts";
import { etcdAlarms, memberDisagreements, strangeMembers } from "../../talos/health/etcd-members.ts";
import { serviceProblems } from "../../talos/health/services.ts";
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
