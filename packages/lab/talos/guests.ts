import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../kernel/kernel.ts";
import type { Guests } from "../proxmox/vm/guests.ts";
import { vmKey } from "./machine/boot.ts";
import { networkOf } from "./machine/network.ts";
import { madeWith } from "./schematic.ts";
import { type Machine, talosState } from "./state.ts";
import { releaseOf } from "./versions.ts";

const AGENT = "siderolabs/qemu-guest-agent";

/** Talos shuts down when its power button is pressed, also in maintenance mode; its guest agent runs once it has a config. */
export const guests: Guests = {
  isUp: (lab, vmid) => {
    const boot = talosState(lab).machines[vmKey(vmid)]?.boot;
    return boot !== undefined && boot.stage !== "booting";
  },
  agent: (lab, vmid, command) => {
    const machine = talosState(lab).machines[vmKey(vmid)];
    if (!machine?.boot || machine.boot.config === undefined || machine.boot.stage !== "running") return undefined;
    return madeWith(lab, machine.boot.system.schematic).extensions.includes(AGENT) ? answer(lab, machine, command) : undefined;
  },
};

function answer(lab: Lab, machine: Machine, command: string): Json {
  const network = networkOf(machine);
  const version = machine.boot?.system.version ?? "";
  switch (command) {
    case "network-get-interfaces":
      return interfaces(machine);
    case "get-host-name":
      return { "host-name": network.hostname };
    case "get-osinfo":
      return {
        id: "talos",
        name: "Talos",
        "pretty-name": `Talos (${version})`,
        "version-id": version,
        "kernel-release": releaseOf(version).kernel,
        machine: "x86_64",
      };
    case "get-time":
      return lab.timeOfDay(lab.now()) * 1_000_000;
    case "info":
      return { version: "11.1.0", supported_commands: [] };
    case "get-fsinfo":
      return [];
    default:
      return {};
  }
}

function interfaces({ hardware, ...machine }: Machine): Json {
  const { addresses } = networkOf({ hardware, ...machine });
  const loopback = {
    name: "lo",
    "hardware-address": "00:00:00:00:00:00",
    "ip-addresses": [{ "ip-address": "127.0.0.1", "ip-address-type": "ipv4", prefix: 8 }],
  };
  const cards = hardware.links.map(({ name, mac }) => ({
    name,
    "hardware-address": mac,
    "ip-addresses": addresses
      .filter(({ link }) => link === name)
      .map(({ address }) => {
        const [ip = "", prefix = "32"] = address.split("/");
        return { "ip-address": ip, "ip-address-type": ip.includes(":") ? "ipv6" : "ipv4", prefix: Number(prefix) };
      }),
  }));
  return [loopback, ...cards];
}
