import { userError } from "@talosmith/lib/errors.ts";
import { durationMs } from "../kernel/duration.ts";
import type { Lab, Strike } from "../kernel/kernel.ts";
import { guestPoweredOff } from "../proxmox/vm/power.ts";
import { stop } from "../rescue/power.ts";
import { serverNamed } from "../rescue/state.ts";
import { timeServersOf } from "./api/time.ts";
import { localEtcd } from "./etcd/cluster.ts";
import { restart, switchOff } from "./machine/boot.ts";
import { networkOf } from "./machine/network.ts";
import { putDown } from "./machine/rented.ts";
import { settle } from "./settle.ts";
import { type Boot, type Machine, talosState } from "./state.ts";

/** Strikes on machines that run Talos, on every platform. */
export const strikes: Record<string, Strike> = {
  "node-off": {
    title: "a node's machine loses power",
    args: ["node"],
    run: struck((lab, machine) => {
      const server = machine.rented === undefined ? undefined : serverNamed(lab, machine.rented);
      if (machine.vmid !== undefined) guestPoweredOff(lab, machine.vmid);
      else if (server) stop(lab, server);
      else switchOff(lab, machine.key);
    }),
  },
  "node-hang": {
    title: "a node's kernel hangs: its machine is on, but does not answer until it is switched off and on",
    args: ["node"],
    run: struck((lab, machine) => {
      if (machine.rented !== undefined) putDown(lab, machine);
      delete machine.boot;
    }),
  },
  "node-restart": {
    title: "a node restarts from its firmware: one that runs or hangs, or a metal node that is off",
    args: ["node"],
    run: struck((lab, machine) => restart(lab, machine)),
  },
  "etcd-alarm": {
    title: "a control plane's etcd raises an alarm: NOSPACE, or CORRUPT",
    args: ["node", "alarm?"],
    run: struck((lab, machine, [alarm = "NOSPACE"]) => {
      if (alarm !== "NOSPACE" && alarm !== "CORRUPT") throw senseless(`etcd has no alarm ${alarm}`, "use NOSPACE or CORRUPT");
      const { cluster, member } = localEtcd(lab, machine) ?? {};
      if (!cluster || !member) throw senseless(`${machine.name} has no etcd`, "name a control plane whose etcd runs");
      cluster.alarms = { ...cluster.alarms, [member.id]: alarm };
    }),
  },
  "etcd-lost": {
    title: "a control plane restarts and loses its etcd data",
    args: ["node"],
    run: struck((lab, machine) => {
      const { boot } = machine;
      const disk = boot?.disk === undefined ? undefined : talosState(lab).disks[boot.disk];
      if (!disk?.etcd) throw senseless(`${machine.name} has no etcd`, "name a control plane that has joined etcd");
      delete disk.etcd;
      restart(lab, machine);
    }),
  },
  "clock-skew": {
    title: "the time servers of a node are wrong (90s, 2h; behind, or ahead), until it uses others",
    args: ["node", "duration", "direction?"],
    run: struck((_, machine, [duration = "", direction = "behind"]) => {
      if (direction !== "behind" && direction !== "ahead")
        throw senseless(`a clock cannot be ${direction}`, "use behind or ahead");
      const servers = timeServersOf({ boot: running(machine) });
      machine.clock = { offMs: durationMs(duration) * (direction === "ahead" ? 1 : -1), servers };
    }),
  },
};

function senseless(why: string, hint: string) {
  return userError("LAB_STRIKE", { message: `Unable to run the strike: ${why}`, hint });
}

/** A strike on one machine, named by its node. */
function struck(hit: (lab: Lab, machine: Machine, more: readonly string[]) => void): Strike["run"] {
  return (lab, [name = "", ...more]) => {
    hit(lab, machineNamed(lab, name), more);
    settle(lab);
  };
}

function machineNamed(lab: Lab, name: string): Machine {
  const machines = Object.values(talosState(lab).machines);
  const found = machines.find((one) => networkOf(one).hostname === name) ?? machines.find((one) => one.name === name);
  const names = machines.map((one) => networkOf(one).hostname || one.name).join(", ");
  if (!found) throw senseless(`there is no node ${name} that is on`, `choose among ${names || "none: create a cluster first"}`);
  return found;
}

function running({ name, boot }: Machine): Boot {
  if (boot?.config === undefined) throw senseless(`${name} has no config yet`, "name a node of a cluster");
  return boot;
}
