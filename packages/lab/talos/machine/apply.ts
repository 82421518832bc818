import type { Lab } from "../../kernel/kernel.ts";
import { wantsInstall } from "../config/install-disk.ts";
import { machineConfig, value } from "../config/machine-config.ts";
import { durations } from "../durations.ts";
import { type Boot, type Machine, talosState } from "../state.ts";
import { configure, ofBoot } from "./boot.ts";
import { networkConfig } from "./network.ts";
import { goDown, install } from "./sequences.ts";

/** A config for a machine in maintenance mode: without machine and cluster it stays there, with both it leaves (docs/facts/talos.md#applying-a-config). */
export function applyFirst(lab: Lab, machine: Machine, boot: Boot, text: string, fails?: string): void {
  const config = machineConfig(text);
  if (!config) {
    boot.partial = text;
    return;
  }
  if (boot.disk === undefined && wantsInstall(value(config, "machine.install"))) {
    install(lab, machine, boot, text, fails);
    return;
  }
  persist(lab, boot, text);
  configure(lab, machine, boot, text, durations.configured);
}

export function applyNow(lab: Lab, machine: Machine, boot: Boot, text: string): void {
  delete boot.revert;
  persist(lab, boot, text);
  takeUp(lab, machine, boot, text);
}

export function applyStaged(lab: Lab, boot: Boot, text: string): void {
  delete boot.revert;
  persist(lab, boot, text);
}

export function applyWithReboot(lab: Lab, machine: Machine, boot: Boot, text: string, fails?: string): void {
  applyStaged(lab, boot, text);
  boot.appliedForReboot = true;
  // With takeover: whatever else the machine is busy with gives way.
  delete boot.sequence;
  goDown(lab, machine, boot, { sequence: "reboot", actor: "", afterwards: "restart", ...(fails !== undefined && { fails }) });
}

/** In force for a while, and never on the disk. A second try gives way to the first one, as that is what it finds. */
export function applyTried(lab: Lab, machine: Machine, boot: Boot, text: string, forMs: number): void {
  const ticket = lab.serial("talos try");
  boot.revert = { to: boot.config ?? "", ticket };
  takeUp(lab, machine, boot, text);
  lab.schedule("talos.revert", forMs, { ...ofBoot(machine, boot), ticket });
}

export function revert(lab: Lab, machine: Machine, boot: Boot, ticket: number): void {
  if (boot.revert?.ticket !== ticket) return;
  takeUp(lab, machine, boot, boot.revert.to);
  delete boot.revert;
}

/** The config changes at once; the network follows, as Talos's controllers hear of the config one after the other. */
function takeUp(lab: Lab, machine: Machine, boot: Boot, text: string): void {
  const before = networkConfig(boot);
  boot.config = text;
  if (before === undefined || before === text) return;
  const ticket = lab.serial("talos network");
  boot.network = { config: before, ticket };
  lab.schedule("talos.network", durations.networkAnnounced, { ...ofBoot(machine, boot), ticket, announced: true });
  lab.schedule("talos.network", durations.networkInForce, { ...ofBoot(machine, boot), ticket });
}

/** What `takeUp` has begun, unless another config has come in between. */
export function networkFollows(boot: Boot, ticket: number, announced: boolean): void {
  if (boot.network?.ticket !== ticket) return;
  if (announced) boot.network.announced = true;
  else delete boot.network;
}

function persist(lab: Lab, boot: Boot, text: string): void {
  const disk = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
  if (disk) disk.config = text;
}
