import type { Lab } from "../../kernel/kernel.ts";
import { wantsInstall } from "../config/install-disk.ts";
import { machineConfig, value } from "../config/machine-config.ts";
import { durations } from "../durations.ts";
import { type Boot, type Machine, talosState } from "../state.ts";
import { configure, ofBoot } from "./boot.ts";
import { networkConfig } from "./network.ts";
import { goDown, install } from "./sequences.ts";

/**
 * Applies a config to a machine in maintenance mode: it stays there without machine and cluster, and leaves with both
 * (docs/facts/talos.md#applying-a-config).
 */
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
  // With takeover: it replaces any running sequence.
  delete boot.sequence;
  goDown(lab, machine, boot, { sequence: "reboot", actor: "", afterwards: "restart", ...(fails !== undefined && { fails }) });
}

/** Applies a config for a limited time, without writing it to the disk. A second try reverts to the first one, which is then the current config. */
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

/** Changes the config at once; the network follows later, as Talos's controllers react one after the other. */
function takeUp(lab: Lab, machine: Machine, boot: Boot, text: string): void {
  const before = networkConfig(boot);
  boot.config = text;
  if (before === undefined || before === text) return;
  const ticket = lab.serial("talos network");
  boot.network = { config: before, ticket };
  lab.schedule("talos.network", durations.networkAnnounced, { ...ofBoot(machine, boot), ticket, announced: true });
  lab.schedule("talos.network", durations.networkInForce, { ...ofBoot(machine, boot), ticket });
}

/** Completes the network change that `takeUp` started, unless another config replaced it. */
export function networkFollows(boot: Boot, ticket: number, announced: boolean): void {
  if (boot.network?.ticket !== ticket) return;
  if (announced) boot.network.announced = true;
  else delete boot.network;
}

function persist(lab: Lab, boot: Boot, text: string): void {
  const disk = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
  if (disk) disk.config = text;
}
