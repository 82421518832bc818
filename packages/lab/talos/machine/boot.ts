import type { Lab } from "../../kernel/kernel.ts";
import { hostNamed, proxmoxState, type Vm } from "../../proxmox/state.ts";
import { nameOf } from "../../proxmox/vm/config.ts";
import { start } from "../../rescue/power.ts";
import { serverNamed } from "../../rescue/state.ts";
import { machineConfig } from "../config/machine-config.ts";
import { durations } from "../durations.ts";
import { derivedUuid } from "../identity.ts";
import { type Boot, type Machine, type ServiceName, talosState } from "../state.ts";
import { logLine, tell, tellSequence } from "./events.ts";
import { enrol, firmwareOf } from "./firmware.ts";
import { metalMedium } from "./metal.ts";
import { nvidiaDriver, wantedModules } from "./modules.ts";
import { addressesOf, networkOf } from "./network.ts";
import { platformConfig } from "./platform-config.ts";
import { putDown, rentedMachine } from "./rented.ts";
import { running, setService } from "./services.ts";
import { type Medium, vmHardware, vmMedium, vmNetwork } from "./virtual.ts";
import { volumeDisk } from "./volume-disk.ts";
import { systemKeyProblem } from "./volumes.ts";

/** Names the boot of a machine for which a transition is scheduled; in another boot it has no effect. */
export interface OfBoot {
  machine: string;
  boot: number;
}

export function ofBoot(machine: Machine, boot: Boot): OfBoot {
  return { machine: machine.key, boot: boot.number };
}

/** undefined when that boot is over. */
export function inBoot(lab: Lab, { machine: key, boot: number }: OfBoot): { machine: Machine; boot: Boot } | undefined {
  const machine = talosState(lab).machines[key];
  return machine?.boot?.number === number ? { machine, boot: machine.boot } : undefined;
}

export function vmKey(vmid: number): string {
  return `vm ${vmid}`;
}

/** Handles a machine switched on by Proxmox: it boots what its firmware finds, if anything. */
export function switchOn(lab: Lab, vm: Vm): void {
  forgetLostDisks(lab);
  const talos = talosState(lab);
  const medium = vmMedium(lab, talos, vm);
  const machine: Machine = {
    key: vmKey(vm.vmid),
    name: nameOf(vm),
    vmid: vm.vmid,
    hardware: vmHardware(lab, vm),
    platform: medium
      ? vmNetwork(vm, medium.system, hostNamed(proxmoxState(lab), vm.node)?.resolver)
      : { addresses: [], nameservers: [] },
  };
  talos.machines[machine.key] = machine;
  if (!medium) return;
  const secure = enrol(lab, talos, firmwareOf(lab, vm), medium.system) === "image";
  begin(lab, machine, medium, secure);
}

/** Boots a rented server when its firmware finds Talos. */
export function switchOnRented(lab: Lab, name: string): void {
  const found = rentedMachine(lab, name);
  if (!found) return;
  talosState(lab).machines[found.machine.key] = found.machine;
  begin(lab, found.machine, found.medium, found.medium.system.secureBoot);
}

export function switchOff(lab: Lab, key: string): void {
  const { machines } = talosState(lab);
  const machine = machines[key];
  if (machine?.rented !== undefined) {
    putDown(lab, machine);
    delete machines[key];
  } else if (machine?.vmid === undefined) delete machine?.boot;
  else delete machines[key];
}

/** Starts a machine from its firmware again: its hardware may have changed meanwhile. */
export function restart(lab: Lab, machine: Machine): void {
  if (machine.rented !== undefined) switchOff(lab, machine.key);
  delete machine.boot;
  if (machine.vmid !== undefined) {
    const vm = proxmoxState(lab).vms[machine.vmid];
    if (vm?.power) switchOn(lab, vm);
    return;
  }
  const server = machine.rented === undefined ? undefined : serverNamed(lab, machine.rented);
  if (server) {
    start(lab, server);
    return;
  }
  const medium = metalMedium(talosState(lab), machine);
  if (medium) begin(lab, machine, medium);
}

export function begin(lab: Lab, machine: Machine, { system, disk }: Medium, secureBoot = false): void {
  const number = lab.serial("talos boot");
  const boot: Boot = {
    number,
    id: derivedUuid(lab, "boot", number),
    since: lab.now(),
    stage: "booting",
    system,
    ...(disk !== undefined && { disk }),
    ...(secureBoot && { secureBoot }),
    api: "closed",
    services: {},
    events: [],
    kernelLog: [],
    resources: {},
    status: "",
    staticPods: "none",
  };
  machine.boot = boot;
  if (disk !== undefined) {
    const { disks } = talosState(lab);
    const written = disks[disk] ?? { system, boots: 0 };
    written.system ??= system;
    written.boots++;
    disks[disk] = written;
  }
  logLine(lab, boot, `Talos ${system.version}, platform ${system.platform}`);
  tellSequence(lab, boot, "initialize", "START");
  lab.schedule("talos.booted", durations.boot, { ...ofBoot(machine, boot) });
}

/** The kernel and the network are up: the machine continues with the config on its disk, or waits for one. */
export function booted(lab: Lab, machine: Machine, boot: Boot): void {
  tellSequence(lab, boot, "initialize", "STOP");
  const text = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk]?.config;
  if (text !== undefined) {
    configure(lab, machine, boot, text, durations.configuredBoot);
    return;
  }
  const given = platformConfig(lab, machine, boot);
  if (given.is === "broken") {
    tell(lab, boot, { kind: "config-load-error", error: given.error });
    logLine(
      lab,
      boot,
      `controller failed {"component": "controller-runtime", "controller": "config.AcquireController", "error": "${given.error}"}`,
    );
    return;
  }
  if (given.is === "found" && machineConfig(given.text)) {
    const disk = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
    if (disk) disk.config = given.text;
    configure(lab, machine, boot, given.text, durations.configured);
    return;
  }
  if (given.is === "found") boot.partial = given.text;
  boot.stage = "maintenance";
  for (const id of ["machined", "containerd", "udevd", "auditd", "syslogd", "apid", "dashboard"] as const) running(lab, boot, id);
  boot.api = "maintenance";
  logLine(lab, boot, `this machine is reachable at: ${addressesOf(machine).join(", ")}`);
}

/** Runs the boot sequence with a complete config. */
export function configure(lab: Lab, machine: Machine, boot: Boot, text: string, apiAfter: number): void {
  boot.config = text;
  delete boot.partial;
  boot.api = boot.api === "maintenance" ? "leaving maintenance" : "closed";
  if (boot.api !== "closed") lab.schedule("talos.maintenance-over", durations.leavesMaintenance, { ...ofBoot(machine, boot) });
  boot.stage = "booting";
  boot.services = {};
  tellSequence(lab, boot, "boot", "START");
  const locked = systemKeyProblem(machine, text);
  if (locked !== undefined) {
    logLine(lab, boot, `controller failed {"component": "controller-runtime", "error": "error encrypting disk: ${locked}"}`);
    return;
  }
  for (const name of wantedModules(text))
    if (name.startsWith("nvidia") && nvidiaDriver(lab, machine, boot) === undefined)
      logLine(
        lab,
        boot,
        `controller failed {"controller": "runtime.KernelModuleSpecController", "error": "error loading module \\"${name}\\": module not found"}`,
      );
  const network = networkOf(machine);
  tell(lab, boot, { kind: "address", hostname: network.hostname, addresses: [...addressesOf(machine)] });
  for (const [id, after] of Object.entries(durations.services)) {
    lab.schedule("talos.service", after, { ...ofBoot(machine, boot), id });
  }
  lab.schedule("talos.api", apiAfter, { ...ofBoot(machine, boot) });
}

/** Closes the API of maintenance mode. */
export function maintenanceOver(boot: Boot): void {
  if (boot.api === "leaving maintenance") boot.api = "closed";
}

/** Marks a service as up, and starts those that wait for it. */
export function serviceUp(lab: Lab, machine: Machine, boot: Boot, id: ServiceName): void {
  running(lab, boot, id);
  if (id !== "cri") return;
  setService(lab, boot, "kubelet", "Preparing", "Running pre state");
  lab.schedule("talos.service", durations.kubeletImage, { ...ofBoot(machine, boot), id: "kubelet" });
  if (boot.config === undefined || machineConfig(boot.config)?.role !== "controlplane") return;
  setService(lab, boot, "etcd", "Preparing", "Running pre state");
  const data = boot.disk === undefined ? undefined : talosState(lab).disks[boot.disk]?.etcd;
  if (data) lab.schedule("talos.etcd-start", durations.etcdImage, { ...ofBoot(machine, boot) });
}

/** Requires certificates for the API from now on. A worker's API waits for a certificate from a control plane. */
export function openApi(lab: Lab, boot: Boot): void {
  if (boot.config === undefined) return;
  if (machineConfig(boot.config)?.role === "controlplane") {
    running(lab, boot, "trustd");
    apiUp(lab, boot);
  } else setService(lab, boot, "apid", "Preparing", "Running pre state");
}

export function apiUp(lab: Lab, boot: Boot): void {
  running(lab, boot, "apid");
  boot.api = "certificates";
}

/** Removes the disks of deleted volumes. */
function forgetLostDisks(lab: Lab): void {
  const { disks } = talosState(lab);
  const volumes = proxmoxState(lab).volumes;
  const then = volumes.flatMap((volume) => Object.values(volume.snapshots ?? {}).map(({ serial }) => serial));
  const present = new Set([...volumes.map((volume) => volume.serial), ...then].map(volumeDisk));
  for (const name of Object.keys(disks)) if (name.startsWith("volume ") && !present.has(name)) delete disks[name];
}
