import type { FieldCase, Options, Player } from "./field-case.ts";
import { nic, nics } from "./field-machines.ts";

const { queues: _, ...withoutQueues } = nic;

const net0 =
  (rest: string) =>
  (_: Options, { mac }: Player) => ({ net0: `virtio=${mac(0)},${rest}` });
const net1 =
  (rest: string) =>
  (_: Options, { mac }: Player) => ({ net1: `virtio=${mac(1)},bridge=vmbr1,tag=20${rest}` });

/** Network cards, and the address and nameservers that cloud-init gives. */
export const NETWORK_CASES: Readonly<Record<string, FieldCase>> = {
  mac: {
    behind: () => ({ net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0,tag=7" }),
    shows: ({ mac }) => `update mac: BC:24:11:00:00:01 → ${mac(0)}`,
    config: { mac: "BC:24:11:00:00:02" },
    applied: ({ mac }) => `update mac: ${mac(0)} → BC:24:11:00:00:02`,
  },
  card: {
    behind: (_, { mac }) => ({ net0: `e1000=${mac(0)},bridge=vmbr0,tag=7` }),
    shows: () => "update card: e1000 → virtio",
  },
  bridge: {
    behind: net0("bridge=vmbr1,tag=7"),
    shows: () => "update bridge: vmbr1 → vmbr0",
    config: { bridge: "vmbr1" },
    applied: () => "update bridge: vmbr0 → vmbr1",
  },
  vlan: {
    base: nics,
    behind: net0("bridge=vmbr0,tag=8"),
    shows: () => "update vlan: 8 → 7",
    config: { nics: [{ ...nic, vlan: 21 }] },
    applied: () => "update net1 vlan: 20 → 21",
  },
  queues: {
    base: nics,
    behind: net1(",firewall=1,queues=4"),
    shows: () => "update net1 queues: 4 → 2",
    config: { nics: [withoutQueues] },
    applied: () => "update net1 queues: 2 → none",
  },
  firewall: {
    base: nics,
    behind: net1(",queues=2"),
    shows: () => "update net1 firewall: false → true",
    config: { nics: [{ ...nic, firewall: false }] },
    applied: () => "update net1 firewall: true → false",
  },
  "cards too many": {
    base: nics,
    behind: (_, { mac }) => ({ net2: `virtio=${mac(2)},bridge=vmbr0` }),
    shows: ({ mac }) => `update net2: ${mac(2)} → none`,
    config: { nics: [] },
    applied: ({ mac }) => `update net1: ${mac(1)} → none`,
  },
  address: {
    behind: () => ({ ipconfig0: "ip=dhcp" }),
    shows: ({ ip }) => `update address: dhcp → ${ip}/24 via 10.10.0.1`,
    config: { ip: "10.10.0.222" },
    applied: ({ ip }) => `replace address: ${ip} → 10.10.0.222`,
  },
  nameservers: {
    behind: () => ({ nameserver: "9.9.9.9" }),
    shows: () => "update nameservers: 9.9.9.9 → 10.10.0.1",
    nameservers: ["10.10.0.1", "1.1.1.1"],
    applied: () => "update nameservers: 10.10.0.1 → 10.10.0.1 1.1.1.1",
  },
};
