import type { Json } from "@talosmith/lib/json.ts";
import type { TalosOnDisk } from "../../factory/image.ts";
import type { Lab } from "../../kernel/kernel.ts";
import { guestPoweredOff } from "../../proxmox/vm/power.ts";
import { stop } from "../../rescue/power.ts";
import { serverNamed } from "../../rescue/state.ts";
import { installDisk } from "../config/install-disk.ts";
import { machineConfig, textAt, value } from "../config/machine-config.ts";
import { durations } from "../durations.ts";
import { leaveEtcd } from "../etcd/cluster.ts";
import { type Boot, type Machine, type Stage, talosState } from "../state.ts";
import { ofBoot, restart } from "./boot.ts";
import { logLine, tell, tellSequence } from "./events.ts";
import { PLAIN_SCHEMATIC } from "./metal.ts";
import { wipeRented } from "./rented.ts";

/** common.Code */
const FATAL = 0;
const LOCKED = 1;
const CANCELED = 2;

/** The sequences that a new one replaces; otherwise it has to wait. A shutdown replaces any. */
const TAKES_OVER: Partial<Record<GoingDown["sequence"], readonly string[]>> = { reboot: ["reboot", "reset"] };

/** A sequence that ends a boot. */
export interface GoingDown {
  sequence: "reboot" | "shutdown" | "reset";
  actor: string;
  afterwards: "restart" | "off";
  wipe?: Wipe;
  /** Skips the drain of the node. */
  force?: boolean;
  /** A fault: the sequence fails with this error. */
  fails?: string;
}

export interface Wipe {
  /** Empty = the whole disk. */
  labels: string[];
  graceful: boolean;
}

const STAGES: Record<GoingDown["sequence"], Stage> = { reboot: "rebooting", shutdown: "shutting down", reset: "resetting" };

/** Starts a sequence. A busy machine does not refuse the call: it reports LOCKED in an event (docs/facts/talos.md#methods-and-roles). */
export function goDown(lab: Lab, machine: Machine, boot: Boot, down: GoingDown): void {
  if (boot.sequence !== undefined && TAKES_OVER[down.sequence]?.includes(boot.sequence)) cancel(lab, boot, boot.sequence);
  if (boot.sequence !== undefined) {
    // By then Talos no longer knows the actor.
    const error = { code: LOCKED, message: "sequence not started: locked" };
    tell(lab, boot, { kind: "sequence", sequence: down.sequence, action: "NOOP", error });
    return;
  }
  tellSequence(lab, boot, down.sequence, "START", down.actor, down.force);
  if (down.fails !== undefined) {
    const error = { code: FATAL, message: `sequence failed: ${down.fails}` };
    tell(lab, boot, { kind: "sequence", sequence: down.sequence, action: "NOOP", error }, down.actor);
    return;
  }
  boot.sequence = down.sequence;
  boot.stage = STAGES[down.sequence];
  if (down.wipe?.graceful === true) leaveEtcd(lab, machine);
  const after = down.afterwards === "off" ? durations.shutdownDown : durations.rebootDown;
  const ticket = lab.serial("talos down");
  boot.goesDown = { ticket, actor: down.actor };
  lab.schedule("talos.down", after + (down.wipe ? durations.wipe : 0), {
    ...ofBoot(machine, boot),
    down: down as unknown as Json,
    ticket,
  });
}

/** Cancels a sequence that is being replaced: its remaining work is not done. */
function cancel(lab: Lab, boot: Boot, sequence: string): void {
  const error = { code: CANCELED, message: "sequence failed: context canceled" };
  tell(lab, boot, { kind: "sequence", sequence, action: "NOOP", error }, boot.goesDown?.actor);
  delete boot.sequence;
  delete boot.goesDown;
}

export function isDown(lab: Lab, machine: Machine, boot: Boot, down: GoingDown, ticket: number): void {
  if (boot.goesDown?.ticket !== ticket) return;
  if (down.wipe && boot.disk !== undefined) wipe(lab, boot.disk, down.wipe.labels);
  if (down.afterwards === "restart") {
    restart(lab, machine);
    return;
  }
  const server = machine.rented === undefined ? undefined : serverNamed(lab, machine.rented);
  if (server) {
    stop(lab, server);
    return;
  }
  delete machine.boot;
  if (machine.vmid !== undefined) guestPoweredOff(lab, machine.vmid);
}

function wipe(lab: Lab, disk: string, labels: readonly string[]): void {
  const { disks } = talosState(lab);
  const written = disks[disk];
  wipeRented(lab, disk, labels);
  if (!written) return;
  const wipes = (written.wipes ?? 0) + 1;
  if (labels.length === 0) disks[disk] = { boots: written.boots, wipes };
  if (labels.includes("STATE")) {
    delete written.config;
    written.wipes = wipes;
  }
  if (labels.includes("EPHEMERAL")) {
    delete written.etcd;
    delete written.images;
  }
  if (labels.includes("META")) delete written.meta;
  if (labels.some((label) => label === "EFI" || label === "BOOT")) delete written.system;
}

/** Installs Talos from a CD to the configured disk, and boots from there. */
export function install(lab: Lab, machine: Machine, boot: Boot, text: string, fails?: string): void {
  boot.stage = "installing";
  boot.api = "closed";
  boot.sequence = "install";
  tellSequence(lab, boot, "install", "START");
  lab.schedule("talos.installed", durations.install, { ...ofBoot(machine, boot), text, ...(fails !== undefined && { fails }) });
}

export function installed(lab: Lab, machine: Machine, boot: Boot, text: string, fails?: string): void {
  const config = machineConfig(text);
  const chosen = installDisk(machine.hardware.disks, config && value(config, "machine.install"));
  const disk = typeof chosen === "string" ? undefined : chosen;
  delete boot.sequence;
  if (!config || disk?.name === undefined || fails !== undefined) {
    const why = fails ?? (typeof chosen === "string" ? chosen : `${chosen.device} cannot be written to`);
    logLine(lab, boot, `task install failed: ${why}`);
    const error = {
      code: FATAL,
      message: `sequence failed: error running phase 1 in install sequence: task 1/1: failed, ${why}`,
    };
    tell(lab, boot, { kind: "sequence", sequence: "install", action: "NOOP", error });
    goDown(lab, machine, boot, { sequence: "reboot", actor: "", afterwards: "restart" });
    return;
  }
  tellSequence(lab, boot, "install", "STOP");
  const image = textAt(config, "machine.install.image") ?? "";
  const { disks } = talosState(lab);
  const wipes = (disks[disk.name]?.wipes ?? 0) + 1;
  disks[disk.name] = { system: systemIn(image, boot.system), config: text, boots: 0, wipes };
  goDown(lab, machine, boot, { sequence: "reboot", actor: "", afterwards: "restart" });
}

/** The system in an installer image: its name contains platform, schematic and version (docs/facts/talos.md#installer-images). */
function systemIn(image: string, running: TalosOnDisk): TalosOnDisk {
  const [, path = "", version] = /^[^/]+\/(.+?):(v[^@:]+)/.exec(image) ?? [];
  if (version === undefined) return running;
  const [, platform, secure, schematic] = /^(?:([a-z]+)-)?installer(-secureboot)?\/([0-9a-f]{64})$/.exec(path) ?? [];
  return {
    ...running,
    version,
    platform: platform ?? "metal",
    schematic: schematic ?? PLAIN_SCHEMATIC,
    secureBoot: secure !== undefined,
  };
}
