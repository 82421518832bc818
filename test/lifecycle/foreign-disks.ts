import { readMark } from "../../src/platforms/proxmox/mark.ts";
import type { LabVm } from "../support/root.ts";
import type { Play, Scenario } from "./scenario.ts";
import type { Scene } from "./scene.ts";

/* Disks that other users attach to our machines, in slots that our configs never use. */

const THEIRS = /^(?:scsi(?:[5-9]|[12]\d|30)|unused\d+)$/;

interface ForeignDisk {
  /** "worker-1/scsi5" */
  name: string;
  host: string;
  volume: string;
}

/** Attaches a disk, as "Add: Hard Disk" in the UI does. */
export async function attachDisk({ root }: Scene, machine: string, slot = "scsi5"): Promise<LabVm> {
  const isIt = ({ config, vmid }: LabVm) => {
    const mark = readMark(config.description);
    return mark?.node === machine && mark.vm === vmid;
  };
  const vm = (await root.vms()).find(isIt);
  if (!vm) throw new Error(`there is no ${machine} to attach a disk to`);
  await root.task("POST", `/nodes/${vm.node}/qemu/${vm.vmid}/config`, { [slot]: "local-lvm:1" });
  return vm;
}

export async function foreignDisks({ root }: Scene): Promise<ForeignDisk[]> {
  const ours = (await root.vms()).filter(({ config }) => (config.tags ?? "").split(";").includes("talosmith"));
  return ours.flatMap(({ node: host, config }) =>
    Object.keys(config)
      .filter((option) => THEIRS.test(option))
      .map((slot) => ({ name: `${config.name}/${slot}`, host, volume: String(config[slot]).split(",")[0] ?? "" })),
  );
}

/** Foreign disks not named in --destroy-disk that no longer exist; each line is a violation. */
export async function foreignDisksGone({ root, at }: Scene, before: readonly ForeignDisk[]): Promise<string[]> {
  if (before.length === 0) return [];
  const lists = await Promise.all(
    at.hosts.map(async (host) => {
      const volumes = (await root.call("GET", `/nodes/${host}/storage/local-lvm/content`)) as { volid: string }[];
      return volumes.map(({ volid }) => `${host} ${volid}`);
    }),
  );
  const there = new Set(lists.flat());
  return before
    .filter(({ host, volume }) => !there.has(`${host} ${volume}`))
    .map(({ name, host, volume }) => `foreign disk ${name} (${volume} on ${host}) was deleted`);
}

/** Wraps a play: foreign disks survive every scenario, except those that its command names. */
export function keepingDisks(play: Play<Scene>): Play<Scene> {
  const judge = ({ judge: judged, destroyDisks = [] }: Scenario<Scene>): Scenario<Scene>["judge"] => {
    return async (scene) => {
      const before = (await foreignDisks(scene)).filter(({ name }) => !destroyDisks.includes(name));
      const wrongIn = await judged(scene);
      return async (files, secrets) => [...(await foreignDisksGone(scene, before)), ...(await wrongIn(files, secrets))];
    };
  };
  return { ...play, scenarios: play.scenarios.map((scenario) => ({ ...scenario, judge: judge(scenario) })) };
}
