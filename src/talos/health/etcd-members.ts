import type { Finding } from "../../engine/step.ts";
import type { EtcdAlarm, EtcdMember } from "../api/talos-node.ts";
import { type Asked, judged } from "./asked.ts";

/** A control plane of the config and every address that it is known to have. */
export interface Voter {
  name: string;
  addresses: readonly string[];
}

const REMOVE = "a member that is gone for good is removed with:  talosctl etcd remove-member";

/** Talos' check 2: every control plane names the same members, by name, id and vote. Each one is compared with the first. */
export function memberDisagreements(asked: readonly Asked<readonly EtcdMember[]>[]): Finding[] {
  const first = asked.find((one) => one.is === "said");
  return judged(asked, (members, { name }) => {
    if (first?.is !== "said" || same(members, first.answer)) return [];
    const [here, there] = [membersInWords(members, first.answer), membersInWords(first.answer, members)];
    const message = `etcd members: ${name} says ${members.length} (${here}), ${first.node.name} says ${first.answer.length} (${there})`;
    return [{ level: "fail", code: "ETCD_MEMBERS", message, hint: REMOVE }];
  });
}

const idOf = ({ hostname, id, isLearner }: EtcdMember) => `${hostname} ${id} ${isLearner}`;

function same(one: readonly EtcdMember[], other: readonly EtcdMember[]): boolean {
  const [a, b] = [new Set(one.map(idOf)), new Set(other.map(idOf))];
  return a.size === b.size && [...a].every((id) => b.has(id));
}

/** Lists members by name, and by id where the other side has another member with that name. */
function membersInWords(members: readonly EtcdMember[], others: readonly EtcdMember[]): string {
  const words = members.map((member) => {
    const twin = others.find((other) => other.hostname === member.hostname);
    const id = twin !== undefined && twin.id !== member.id ? ` ${member.id.toString(16)}` : "";
    return `${member.hostname}${id}${member.isLearner ? " learning" : ""}`;
  });
  return words.sort().join(", ");
}

/** Talos' check 3, and its other half: the members are control planes of the config, and each of those has its vote. */
export function strangeMembers(members: readonly EtcdMember[], voters: readonly Voter[]): Finding[] {
  const fail = { level: "fail", code: "ETCD_MEMBERS" } as const;
  const strangers = members.flatMap((member): Finding[] => {
    const hosts = member.peerUrls.map(hostOf);
    if (hosts.every((host) => voters.some(({ addresses }) => addresses.includes(host)))) return [];
    const where = `etcd has the member ${member.hostname} at ${hosts.join(", ")}`;
    // A patch may have given it more addresses than the config knows.
    if (voters.some(({ name }) => name === member.hostname))
      return [{ ...fail, level: "warn", message: `${where}, which is not its address in the config` }];
    return [{ ...fail, message: `${where}, which is not a control plane of the config`, hint: REMOVE }];
  });
  const missing = voters.flatMap(({ name }): Finding[] => {
    const own = members.filter((member) => member.hostname === name);
    if (own.some((member) => !member.isLearner)) return [];
    const words = own.length > 0 ? "is still a learner and has no vote in etcd" : "is not a member of etcd";
    return [{ ...fail, message: `${name} ${words}` }];
  });
  return [...strangers, ...missing];
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : url;
}

const ALARMS: Record<EtcdAlarm["alarm"], { words: string; hint: string }> = {
  NOSPACE: {
    words: "its database is full, and it accepts no more writes",
    hint: "talosctl etcd defrag on each control plane, one after the other, then:  talosctl etcd alarm disarm",
  },
  CORRUPT: {
    words: "its data differs from the other members'",
    hint: "reset this control plane (it leaves etcd and joins again), then:  talosctl etcd alarm disarm",
  },
};

/** Reports etcd's alarms, which nothing else shows: etcd continues as far as possible. */
export function etcdAlarms(alarms: readonly EtcdAlarm[], members: readonly EtcdMember[]): Finding[] {
  return alarms.map(({ member, alarm }) => {
    const name = members.find(({ id }) => id === member)?.hostname ?? `member ${member.toString(16)}`;
    const { words, hint } = ALARMS[alarm];
    return { level: "fail", code: "ETCD_ALARM", message: `${name}: etcd raises ${alarm}: ${words}`, hint };
  });
}
