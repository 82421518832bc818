import { remoteError, TalosmithError } from "@talosmith/lib/errors.ts";
import type { Finding, Read, Write } from "../../engine/step.ts";
import type { Owned } from "../../platforms/platform.ts";
import type { EtcdMember } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { etcdState, withoutForGood } from "../../talos/health/etcd-quorum.ts";
import { etcdOn } from "../bootstrap/etcd-on.ts";
import type { Leavers } from "./leavers.ts";

export interface EtcdDeparture {
  owned: Owned;
  leavers: Leavers;
  talos: TalosNodes;
}

/** Whether etcd was ever bootstrapped: by the marks, or for a new one by its data. */
export async function isBootstrapped({ owned, leavers, talos }: EtcdDeparture, c: Read): Promise<boolean> {
  if (owned.bootstrapped || leavers.bootstrapped) return true;
  const seen = await Promise.all(leavers.staying.map((node) => etcdOn(talos, node, c.signal)));
  return seen.some((one) => one.is === "member" || one.is === "data");
}

/** A remaining control plane with a responding etcd, and its list of members. */
async function membersOf({ leavers, talos }: EtcdDeparture, c: Read): Promise<{ at: string; members: readonly EtcdMember[] }> {
  let last: unknown;
  for (const { ip } of leavers.staying) {
    try {
      return { at: ip, members: await talos.node(ip).etcdMembers(c.signal) };
    } catch (error) {
      c.signal.throwIfAborted();
      last = error;
    }
  }
  if (last instanceof TalosmithError) throw last;
  throw remoteError("ETCD", { message: "Unable to ask any control plane for the members of etcd", transient: true, cause: last });
}

/** A member has its node's name, which is unique until it has left. */
export async function memberOf(spec: EtcdDeparture, c: Read): Promise<bigint | undefined> {
  const { members } = await membersOf(spec, c);
  return members.find((one) => one.hostname === spec.owned.name)?.id;
}

/** Checks that the other voting members have a quorum; an unknown member counts as lost. */
export async function mayLeaveEtcd(spec: EtcdDeparture, c: Read): Promise<Finding[]> {
  const { owned, talos } = spec;
  const { members } = await membersOf(spec, c);
  const others = members.filter((one) => !one.isLearner && one.hostname !== owned.name);
  const states = await Promise.all(
    others.map((one) => {
      const name = one.hostname;
      const ip = addressOf(spec.leavers, one);
      return ip === undefined
        ? { name, is: "silent" as const, words: `${name} unknown` }
        : etcdState(talos, { name, ip }, c.signal);
    }),
  );
  return withoutForGood(owned.name, states);
}

/** A node that is being replaced has two addresses; the member list contains the right one. */
function addressOf({ removed, replaced, controlPlanes }: Leavers, { hostname, peerUrls }: EtcdMember): string | undefined {
  const known = [
    ...controlPlanes.map(({ name, ip }) => ({ name, ip })),
    ...[...removed, ...replaced].map(({ name, address }) => ({ name, ip: address })),
  ].filter(({ name }) => name === hostname);
  return (known.find(({ ip }) => peerUrls.some((url) => url.includes(`/${ip}:`) || url.includes(`[${ip}]`))) ?? known[0])?.ip;
}

/** Removes the member: through the node itself when it answers, else through another one. */
export async function leaveEtcd(spec: EtcdDeparture, member: bigint, c: Write): Promise<void> {
  const { owned, talos } = spec;
  const { name, address } = owned;
  const key = `etcd member ${name}`;
  const answering = owned.state === "running" ? await talos.probe(address, c.signal) : { is: "silent" };
  if (answering.is === "ours") {
    try {
      c.say("leaving etcd");
      await c.mutate({ key, what: `${name} leaves etcd` }, async () => {
        await talos.node(address).leaveEtcd(c.signal);
        return name;
      });
      return;
    } catch (error) {
      if (!(error instanceof TalosmithError) || error.transient) throw error;
      c.say("it cannot leave by itself");
    }
  }
  const { at } = await membersOf(spec, c);
  await c.mutate({ key, what: `remove ${name} from etcd` }, async () => {
    await talos.node(at).removeEtcdMember(member, c.signal);
    return name;
  });
}
