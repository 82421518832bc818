import { expect, test } from "vitest";
import { changed, failure, problems } from "../testing/config-in-memory.ts";
import { planned } from "./planned.ts";

const onNode = (text: string) => changed({ "ip: 10.10.0.11": `ip: 10.10.0.11\n    ${text}` });

/** What usage.md sections 2 and 6 and DESIGN section 2 ask for, and this version does not do. */
const examples: Record<string, string> = {
  pci: "pci: [{ mapping: rtx4090, gpu: nvidia }, 01:00, { address: 0000:01:00.0 }]",
  usb: "usb: [{ id: 1a86:55d4 }]",
  disks: "disks: [{ size: 500GiB, volume: models, keep: true }]",
  nics: "nics: [{ bridge: vmbr1, vlan: 20 }]",
  machine: "machine: q35",
  firmware: "firmware: ovmf",
  controller: "controller: virtio-scsi-single",
  diskFlags: "diskFlags: { discard: true, ssd: true, iothread: true }",
  balloon: "balloon: 2GiB",
  serial: "serial: true",
  numa: "numa: true",
  hugepages: "hugepages: 2",
  tpm: "tpm: true",
  startup: "startup: { order: 1 }",
  pool: "pool: talos",
  platform: "platform: metal",
  create: "create: false",
  protection: "protection: true",
};

test.each(Object.entries(examples))("%s on a node is known, and refused as not available yet", (key, text) => {
  const found = failure(onNode(text)).problems;
  expect(found.map(({ code, message, where }) => [code, message, where?.line, where?.column])).toEqual([
    ["CONFIG_NOT_YET", `nodes[0].${key} is not available yet in this version`, 18, 5],
  ]);
  expect(found[0]?.hint).toMatch(/remove it/);
});

test.each([
  ["proxmox", "  hosts", "  pool: talos\n  hosts", "13:3 proxmox.pool"],
  ["addons", "nodes:", "addons: { secrets: [] }\nnodes:", "14:11 addons.secrets"],
  ["addons", "nodes:", "addons: { flux: { path: x } }\nnodes:", "14:11 addons.flux"],
  ["image", "proxmox:\n", "image: { secureboot: true }\nproxmox:\n", "9:10 image.secureboot"],
  ["image", "proxmox:\n", "image: { overlay: { name: rpi } }\nproxmox:\n", "9:10 image.overlay"],
])("a planned key of %s is refused at its line", (_, from, to, expected) => {
  expect(problems(changed({ [from]: to }))).toEqual([`${expected} is not available yet in this version`]);
});

test.each([["proxmox:\n", "image: { method: iso }\nproxmox:\n", "9:18 image.method iso is not available yet in this version"]])(
  "a planned choice is refused at its value",
  (from, to, expected) => {
    expect(problems(changed({ [from]: to }))).toEqual([expected]);
  },
);

test.each(["vps", "oci"])("platform %s is refused, and nothing else is said about such a file", (platform) => {
  expect(problems(`platform: ${platform}\nservers: []\n`)).toEqual([
    `1:11 platform ${platform} is not available yet in this version`,
  ]);
});

test.each([
  ["pci: [01:0]", "18:11 nodes[0].pci[0] is no PCI address"],
  ["pci: [{ address: 0000:01:00.9 }]", "18:22 nodes[0].pci[0].address is no PCI address"],
  ["disks: [{ size: 5 }]", "18:21 nodes[0].disks[0].size has no unit"],
  ["firmware: bios", "18:15 nodes[0].firmware must be ovmf or seabios"],
])("%s is told as malformed, not as missing", (text, expected) => {
  expect(problems(onNode(text))).toEqual([expected]);
});

test("defaults know the planned settings too", () => {
  expect(problems(changed({ "nodes:": "defaults: { worker: { numa: true } }\nnodes:" }))).toEqual([
    "14:23 defaults.worker.numa is not available yet in this version",
  ]);
});

test("every planned key of a node is one of those the survey asks for, or beside them", () => {
  for (const key of Object.keys(examples))
    expect({ nics: "on metal only", ...planned.settings, ...planned.node }).toHaveProperty(key);
});
