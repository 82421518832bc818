import { expect, test } from "vitest";
import { changed, load } from "../../../../config/testing/config-in-memory.ts";
import { type Case, toldAlone } from "../../../../config/testing/told-alone.ts";

/** At line 18 of the good config. */
const onNode = (text: string) => ({ "ip: 10.10.0.11": `ip: 10.10.0.11\n    ${text}` });
const onWorkers = (text: string) => ({ "count: 2": `count: 2, ${text}` });
const ONE_EACH = "give each node its own device, or place the nodes on different hosts with host";

const cases: Case[] = [
  [
    "a mapping twice on a node",
    onNode("pci: [{ mapping: gpu0 }, { mapping: gpu0, gpu: nvidia }]"),
    "18:30",
    "nodes[0].pci[1] is the same device as nodes[0].pci[0]",
    "remove one of the two",
  ],
  [
    "a function of a device that is passed as a whole",
    onNode("pci: [01:00, { address: 0000:01:00.1 }]"),
    "18:18",
    "nodes[0].pci[1] is the same device as nodes[0].pci[0]",
    "remove one of the two",
  ],
  [
    "one device for two nodes of one host",
    onWorkers("pci: [01:00]"),
    "18:51",
    "nodes[1].pci[0] is one device of a host, but 2 nodes on pve1 use it",
    ONE_EACH,
  ],
  [
    "one device for two nodes placed on one of several hosts",
    { ...onWorkers('host: pve2, usb: ["046d:c52b"]'), "hosts: [pve1]": "hosts: [pve1, pve2]" },
    "18:63",
    "nodes[1].usb[0] is one device of a host, but 2 nodes on pve2 use it",
    ONE_EACH,
  ],
  [
    "two drivers on one node",
    onNode("pci: [{ mapping: a1, gpu: nvidia }, { mapping: b1, gpu: nvidia-lts }]"),
    "18:61",
    "nodes[0].pci[1].gpu is nvidia-lts, but the node's GPUs have the driver nvidia",
    "use one driver for all GPUs of a node",
  ],
  [
    "a device that is named twice over",
    onNode("pci: [{ mapping: gpu0, address: 01:00 }]"),
    "18:11",
    "nodes[0].pci[0] must have either mapping or address",
    "keep exactly one of the two; an API token can only use mapping",
  ],
  [
    "a device that is not named",
    onNode("usb: [{}]"),
    "18:11",
    "nodes[0].usb[0] must have either mapping or id",
    "keep exactly one of the two; an API token can only use mapping",
  ],
  [
    "no PCI address",
    onNode("pci: [01:0]"),
    "18:11",
    "nodes[0].pci[0] is not a PCI address",
    "write it as lspci shows it, such as 0000:01:00.0 or 01:00",
  ],
  [
    "a function no device has",
    onNode("pci: [{ address: 0000:01:00.9 }]"),
    "18:22",
    "nodes[0].pci[0].address is not a PCI address",
    "write it as lspci shows it, such as 0000:01:00.0 or 01:00",
  ],
  [
    "no USB device",
    onNode("usb: [zigbee]"),
    "18:11",
    "nodes[0].usb[0] is not a USB device",
    'write vendor and product as lsusb shows them, such as "046d:c52b", or { mapping: NAME }',
  ],
  [
    "a GPU that a schematic made elsewhere does not know",
    { ...onNode("pci: [{ mapping: gpu0, gpu: nvidia }]"), "proxmox:\n": `image: { schematic: ${"a1".repeat(32)} }\nproxmox:\n` },
    "19:28",
    "nodes[0].pci[0].gpu cannot be added to image.schematic (line 9)",
    "remove image.schematic and list its extensions under image, so that a schematic is created for these nodes; or remove this",
  ],
  [
    "more devices than there are slots",
    onNode(`usb: [${Array.from({ length: 15 }, (_, n) => `{ mapping: u${n} }`).join(", ")}]`),
    "18:10",
    "nodes[0].usb has more than 14 devices",
    "a machine can have 14 USB devices",
  ],
];
toldAlone(cases);

test("a mapping may be used by several nodes, and a device by as many as there are hosts", () => {
  expect(load(changed(onWorkers("pci: [{ mapping: gpu0 }]"))).warnings).toEqual([]);
  const spread = changed({ ...onWorkers("pci: [01:00]"), "hosts: [pve1]": "hosts: [pve1, pve2]" });
  expect(load(spread).config.nodes.map(({ pci }) => pci.length)).toEqual([0, 1, 1]);
});
