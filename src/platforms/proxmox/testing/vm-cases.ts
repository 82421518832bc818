import type { FieldCase } from "./field-case.ts";
import { pool } from "./field-machines.ts";

/** The properties of the VM in Proxmox's lists: name, notes, pool, host and power state. */
export const VM_CASES: Readonly<Record<string, FieldCase>> = {
  name: {
    behind: () => ({ name: "other" }),
    shows: ({ name }) => `update name: other → ${name}`,
  },
  tags: {
    behind: () => ({ tags: "red,talosmith life-12345678" }),
    shows: () => "update tags: life-12345678 red talosmith → blue life-12345678 talosmith",
    config: { tags: ["green"] },
    applied: () => "update tags: blue life-12345678 talosmith → green life-12345678 talosmith",
  },
  notes: {
    behind: ({ description = "" }) => ({ description: `mine\n${description.replace("rack 4", "rack 5")}\nmine too` }),
    shows: () => "update notes: rack 5, shelf 2 → rack 4, shelf 2",
    config: { description: "rack 6\nshelf 1" },
    applied: () => "update notes: rack 4, shelf 2 → rack 6\nshelf 1",
  },
  "start at boot": {
    behind: () => ({ onboot: "0" }),
    shows: () => "update start at boot: false → true",
    config: { onboot: false },
    applied: () => "update start at boot: true → false",
  },
  startup: {
    behind: () => ({ startup: "5" }),
    shows: () => "update startup: order 5 → order 3, up 30",
    config: { startup: { order: 4, down: 60 } },
    applied: () => "update startup: order 3, up 30 → order 4, down 60",
  },
  protection: {
    behind: () => ({ protection: "1" }),
    shows: () => "update protection: true → false",
    config: { protection: true },
    applied: () => "update protection: false → true",
  },
  pool: {
    base: pool,
    call: ["PUT", "/pools", { poolid: "other", vms: "VMID", "allow-move": "1" }],
    shows: () => "update pool: other → talos",
    config: { pool: "other" },
    applied: () => "update pool: talos → other",
  },
  power: {
    call: ["POST", "/status/stop", {}],
    shows: () => "update power: off → on",
  },
  host: {
    config: { host: "pve2" },
    refused: ({ name, host }) => `${name}: runs on ${host}, config says pve2; kept there (it was migrated)`,
  },
  vmid: {
    config: { vmid: 4711 },
    refused: ({ name, vmid }) => `${name}: is VM ${vmid}, config says 4711; kept (an id cannot be changed)`,
  },
};
