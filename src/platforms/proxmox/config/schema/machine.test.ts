import { expect, test } from "vitest";
import { changed, load } from "../../../../config/testing/config-in-memory.ts";
import { type Case, toldAlone } from "../../../../config/testing/told-alone.ts";

/** At line 18 of the good config. */
const onNode = (text: string) => ({ "ip: 10.10.0.11": `ip: 10.10.0.11\n    ${text}` });
const read = (text: string) => load(changed(onNode(text))).config.nodes[0];
const FLAGS =
  "aes, amd-no-ssb, amd-ssbd, hv-evmcs, hv-tlbflush, ibpb, md-clear, nested-virt, pcid, pdpe1gb, spec-ctrl, ssbd, virt-ssbd";

const cases: Case[] = [
  [
    "flags in the processor type",
    onNode('cpu: "x86-64-v3,flags=+aes;-pcid"'),
    "18:10",
    "nodes[0].cpu contains flags",
    "write\ncpu: x86-64-v3\ncpuFlags: [+aes, -pcid]",
  ],
  [
    "a flag without a sign",
    onNode("cpuFlags: [aes]"),
    "18:16",
    "nodes[0].cpuFlags[0] has no + or - in front",
    "write +aes or -aes",
  ],
  [
    "a flag Proxmox does not let machines have",
    onNode("cpuFlags: [+vmx]"),
    "18:16",
    "nodes[0].cpuFlags[0] is not a processor flag that Proxmox allows for machines",
    `use + or - and one of ${FLAGS}`,
  ],
  [
    "a flag both ways",
    onNode("cpuFlags: [+aes, -aes]"),
    "18:15",
    "nodes[0].cpuFlags contains aes twice",
    "remove one of the two",
  ],
  [
    "an unknown machine type",
    onNode("machine: virt"),
    "18:14",
    "nodes[0].machine is not a valid name for a machine type",
    "write a name such as q35, i440fx or pc-q35-9.2",
  ],
  [
    "an unknown firmware",
    onNode("firmware: bios"),
    "18:15",
    "nodes[0].firmware must be seabios or ovmf",
    "write seabios or ovmf",
  ],
  [
    "cores of the host backwards",
    onNode('affinity: "8-3"'),
    "18:15",
    "nodes[0].affinity is not a list of host cores",
    'write numbers and ranges, in quotes: "0-3,8"',
  ],
  [
    "a balloon without a size",
    onNode("balloon: true"),
    "18:14",
    "nodes[0].balloon is not valid",
    "write false, or a size such as 2GiB",
  ],
  ["pages of a size there is not", onNode("hugepages: 4MiB"), "18:16", "nodes[0].hugepages is not valid", "did you mean 2MiB?"],
  ["an empty startup", onNode("startup: {}"), "18:14", "nodes[0].startup is empty", "add order, up or down, or remove it"],
  [
    "a pool nested too deeply",
    onNode("pool: a/b/c/d"),
    "18:11",
    "nodes[0].pool is not a valid name for a resource pool",
    "write a name such as talos, as the Proxmox UI shows it under Datacenter, Permissions, Pools",
  ],
  [
    "notes that look like our mark",
    onNode('description: "mine\\ntalosmith: {}"'),
    "18:18",
    "nodes[0].description has a line that begins with talosmith:, which is reserved for the machine's mark",
    "begin that line with something else",
  ],
  [
    "too many cards",
    onNode(`nics: [${Array.from({ length: 32 }, () => "{}").join(", ")}]`),
    "18:11",
    "nodes[0].nics has more than 31 cards",
    "a machine can have 32, the first one included",
  ],
];
toldAlone(cases);

// Machine.pm of qemu-server: pc is what Proxmox calls i440fx without a version.
test("i440fx becomes Proxmox's name for it", () => {
  expect(["i440fx", "pc", "q35", "pc-q35-9.2"].map((machine) => read(`machine: ${machine}`)?.machine)).toEqual([
    "pc",
    "pc",
    "q35",
    "pc-q35-9.2",
  ]);
});

test("huge pages are any, or of a size; and can be switched off on a node", () => {
  const pages = ["true", "2MiB", "1GiB", "false"].map((text) => read(`hugepages: ${text}`));
  expect(pages.map((node) => [node?.hugepages, node?.numa])).toEqual([
    ["any", true],
    ["2", true],
    ["1024", true],
    [undefined, false],
  ]);
});

test("notes lose YAML's final line break, and empty notes count as absent", () => {
  expect(read('description: "a\\nb\\n"')?.description).toBe("a\nb");
  expect(read('description: "\\n"')).not.toHaveProperty("description");
});
