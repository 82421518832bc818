import * as fc from "fast-check";
import { expect, test } from "vitest";
import { GOOD, load } from "../../config/testing/config-in-memory.ts";
import { allOptions, changesOf } from "./compare.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { createdFields } from "./created-fields.ts";
import { type Machine, type MachineSpec, markFor, specOf } from "./machine.ts";
import { MACHINE_FIELDS } from "./machine-fields.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import { FULL, models } from "./testing/field-machines.ts";
import { testNode } from "./testing/test-node.ts";

const ID = "lab-12345678";
const environment = (config = GOOD): ProxmoxEnvironment => ({ folder: "/e", shown: "e", ...load(config) });
const usual = environment();
const specFor = (node: ProxmoxNodeConfig, id = ID): MachineSpec => ({
  ...specOf(usual, node, id),
  kept: new Map(node.disks.map(({ name }) => [name, `local-lvm:vm-1-${name}`])),
});

/** A running VM with its disks, as Proxmox returns it. */
function machineOf(spec: MachineSpec): Machine {
  const system = `local-lvm:vm-20417-disk-0,discard=on,size=${spec.node.disk}G,ssd=1`;
  const options = { ...allOptions(spec), scsi0: system, ide2: "local-lvm:vm-20417-cloudinit,media=cdrom" };
  return {
    ...{ vmid: 20417, host: "pve1", kind: "vm", running: true, template: false, tags: [] },
    config: { live: options, next: options },
    mark: markFor(spec, 20417),
  };
}

const settings = fc.record({
  cores: fc.integer({ min: 1, max: 512 }),
  sockets: fc.integer({ min: 1, max: 8 }),
  numa: fc.boolean(),
  cpu: fc.constantFrom("host", "x86-64-v2-AES", "x86-64-v3"),
  cpuFlags: fc.subarray(["+aes", "-pcid", "+pdpe1gb"]),
  memory: fc.integer({ min: 16, max: 4 * 1024 * 1024 }),
  balloon: fc.option(fc.integer({ min: 16, max: 65_536 }), { nil: undefined }),
  disk: fc.integer({ min: 1, max: 65_536 }),
  bridge: fc.constantFrom("vmbr0", "vmbr1"),
  vlan: fc.option(fc.integer({ min: 1, max: 4094 }), { nil: undefined }),
  onboot: fc.boolean(),
  protection: fc.boolean(),
  tags: fc.subarray(["blue", "gpu"]),
}) as fc.Arbitrary<Partial<ProxmoxNodeConfig>>;

test("a plan that creates a machine and one that changes it show the same value in the same unit", () => {
  fc.assert(
    fc.property(settings, settings, (wanted, before) => {
      const spec = specFor(testNode(wanted));
      const created = new Map(createdFields(() => spec, ID).map(({ path, to }) => [path, to]));
      const update = changesOf("s", "machine worker-1", spec, machineOf(specFor(testNode(before))));
      for (const { path, to } of update.flatMap(({ fields }) => fields)) expect([path, to]).toEqual([path, created.get(path)]);
    }),
  );
});

test("a machine that was just created has every value that the plan listed", () => {
  fc.assert(
    fc.property(settings, (wanted) => {
      const spec = specFor(testNode(wanted));
      const { config } = machineOf(spec);
      const items = MACHINE_FIELDS.flatMap((field) => field.items(spec, config));
      const read = Object.fromEntries(items.map((item) => [item.path, item.read(config.live)]));
      const listed = createdFields(() => spec, ID).filter(({ path }) => path in read);
      expect(Object.fromEntries(listed.map(({ path, to }) => [path, to]))).toEqual(read);
    }),
  );
});

test("a plan that creates a machine lists every managed field", () => {
  const spec = specFor(FULL);
  const paths = createdFields(() => spec, ID).map(({ path }) => path);
  const managed = MACHINE_FIELDS.flatMap((field) => field.items(spec, { live: {}, next: {} }).map(({ path }) => path));
  expect(new Set(paths)).toEqual(new Set([...managed, "disk", "pool"]));
  expect(paths.length).toBeGreaterThan(53);
});

test("no two fields of a machine have one path, even if a data disk is named like a flag of disks", () => {
  const named = ["cache", "backup", "size"].map((name) => ({ ...models, name, serial: name }));
  const paths = createdFields(() => specFor({ ...FULL, disks: named }), ID).map(({ path }) => path);
  expect(paths.filter((path, at) => paths.indexOf(path) !== at)).toEqual([]);
});

test("without --verbose a plan shows address, cores, memory and disks of a new machine", () => {
  const brief = (node: ProxmoxNodeConfig) =>
    createdFields(() => specFor(node), ID)
      .filter(({ detail }) => detail === undefined)
      .map(({ path, to }) => `${path}: ${to}`);
  expect(brief(testNode({ cores: 4 }))).toEqual([
    "address: 10.10.0.21/24 via 10.10.0.1",
    "cores: 4",
    "memory: 8 GiB",
    "disk: 40 GiB",
  ]);
  expect(brief({ ...FULL, sockets: 2 }).slice(1)).toEqual([
    ...["cores: 2", "sockets: 2", "memory: 1 GiB", "disk: 3 GiB"],
    ...["disk models: 2 GiB on local-lvm", "disk data: 1 GiB on local-lvm, kept"],
  ]);
});

test("values that follow from the environment's id are known once secrets.yaml exists", () => {
  const later = { later: "generate/secrets" };
  const fields = createdFields((id) => specFor(testNode({}), id), later);
  expect(fields.filter(({ to }) => to === later).map(({ path }) => path)).toEqual(["mac", "tags"]);
});

test("each field names the line of the config that sets it, and a default the nearest line", () => {
  const config = GOOD.replace(/^nodes:\n/m, "defaults:\n  all:\n    memory: 6GiB\nnodes:\n");
  const env = environment(config);
  const [node] = env.config.nodes;
  if (!node) throw new Error("the config has a node");
  const lineOf = (text: string) => config.split("\n").findIndex((line) => line.includes(text)) + 1;
  const where = new Map(createdFields((id) => specOf(env, node, id), ID).map((field) => [field.path, field.where]));
  expect(where.get("memory")).toEqual({ file: expect.stringMatching(/config\.yaml$/), line: lineOf("memory: 6GiB"), column: 13 });
  expect(where.get("address")?.line).toBe(lineOf("ip: 10.10.0.11"));
  expect(where.get("cpu units")?.line).toBe(lineOf(`name: ${node.name.replace(/-1$/, "")}`));
  expect(where.get("ostype")).toBeUndefined();
});
