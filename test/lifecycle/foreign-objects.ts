import * as fc from "fast-check";
import { macFor, vmidsFor } from "../../src/platforms/proxmox/identity.ts";
import { type Mark, printMark } from "../../src/platforms/proxmox/mark.ts";
import type { Scene } from "./scene.ts";

/** Our names and ids in these runs, which foreign objects imitate. */
export interface Ours {
  environment: string;
  cluster: string;
  nodes: readonly string[];
  /** "talos-v1.13.9-amd64-12345678" */
  image: string;
  address: string;
}

interface ForeignVm {
  kind: "vm";
  host: number;
  vmid: number;
  name: string;
  description: string | undefined;
  tags: string | undefined;
  mac: string | undefined;
  /** "off" stays as it was created. */
  becomes: "off" | "running" | "template" | "protected";
  pool: boolean;
}

interface ForeignVolume {
  kind: "volume";
  host: number;
  owner: number;
  /** The part after "vm-<owner>-". */
  rest: string;
}

interface ForeignFile {
  kind: "file";
  host: number;
  name: string;
}

export type Foreign = ForeignVm | ForeignVolume | ForeignFile;

/** Ids in our range, our own ids, and any others. */
function ids({ environment, nodes, image }: Ours): fc.Arbitrary<number> {
  const first = (...of: string[]) => vmidsFor(...of).next().value as number;
  const derived = [
    ...nodes.map((node) => first(environment, node)),
    first(environment, "disks"),
    ...["pve1", "pve2", "pve3"].map((host) => first("talosmith", image, host, "local-lvm")),
  ];
  return fc.oneof(fc.constantFrom(...derived), fc.integer({ min: 100, max: 140 }), fc.integer({ min: 20_000, max: 89_999 }));
}

/** A mark with all correct values except one, which does not match its VM. */
function almostOurs({ environment, cluster, nodes, address }: Ours, vmid: number): fc.Arbitrary<string> {
  const mark = (change: Partial<Mark>): string =>
    printMark({ environment, cluster, node: nodes[0] ?? "", vm: vmid, role: "worker", address, ...change });
  const template = (change: object) =>
    `talosmith-template: ${JSON.stringify({ template: "talos", storage: "local-lvm", vm: vmid, ...change })}`;
  return fc.constantFrom(
    mark({ vm: vmid + 1 }),
    mark({ vm: vmid + 1, node: "ghost" }),
    mark({ environment: `${environment}0` }),
    mark({ environment: environment.slice(0, -1) }),
    mark({ cluster: `${cluster}-2` }),
    mark({}).replace(/\}$/, ""),
    mark({}).replace("talosmith:", " talosmith:"),
    mark({}).split("\n").slice(0, 1).join("\n"),
    template({ vm: vmid + 1 }),
    template({ vm: undefined }),
    "not a cluster: ä & ; = %41",
  );
}

export function foreignVm(ours: Ours): fc.Arbitrary<ForeignVm> {
  const { environment, nodes } = ours;
  const name = fc.oneof(
    fc.constantFrom(...nodes, ours.image.replaceAll(".", "-"), ours.cluster),
    fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/),
  );
  return ids(ours).chain((vmid) =>
    fc.record({
      kind: fc.constant("vm" as const),
      host: fc.integer({ min: 0, max: 2 }),
      vmid: fc.constant(vmid),
      name,
      description: fc.option(almostOurs(ours, vmid), { nil: undefined }),
      tags: fc.constantFrom(undefined, "talosmith", environment, `${environment};talosmith`, "homelab", "cp"),
      mac: fc.oneof(
        { weight: 12, arbitrary: fc.constant(undefined) },
        fc.constantFrom(...nodes.map((node) => macFor(environment, node))),
      ),
      becomes: fc.constantFrom("off", "running", "template", "protected"),
      pool: fc.boolean(),
    }),
  );
}

export function foreignVolume(ours: Ours): fc.Arbitrary<ForeignVolume> {
  const { environment, nodes } = ours;
  const [node = ""] = nodes;
  return fc.record({
    kind: fc.constant("volume" as const),
    host: fc.integer({ min: 0, max: 2 }),
    owner: ids(ours),
    // Names with another environment, or similar to one of our nodes or disks.
    rest: fc.constantFrom(
      "disk-0",
      "cloudinit",
      "data",
      `${environment}0_${node}_data`,
      `x${environment}_${node}_data`,
      `${node}_data`,
    ),
  });
}

/** Files that users named after their content. A file with exactly our name is ours: images are shared that way. */
export function foreignFile({ image }: Ours): fc.Arbitrary<ForeignFile> {
  return fc.record({
    kind: fc.constant("file" as const),
    host: fc.integer({ min: 0, max: 2 }),
    name: fc.constantFrom(
      `${image}-mine.qcow2`,
      `my-${image}.qcow2`,
      `${image}0.qcow2`,
      "talos.qcow2",
      `${image.toUpperCase()}.qcow2`,
    ),
  });
}

export const POOL = "life";

/** Creates the objects as another user would; of two that Proxmox does not allow together, the first stays. */
export async function plant({ root, at }: Scene, all: readonly Foreign[], image: { url: string }): Promise<void> {
  await root.call("POST", "/pools", { poolid: POOL, comment: "of another user" });
  const hostOf = ({ host }: Foreign) => at.hosts[host] ?? "";
  const there = new Set((await root.vms()).map(({ vmid }) => vmid));
  const vmids = new Set<number>();
  const vms = all.filter(
    (one): one is ForeignVm => one.kind === "vm" && !there.has(one.vmid) && !vmids.has(one.vmid) && Boolean(vmids.add(one.vmid)),
  );
  const volumes = new Map(
    all.flatMap((one) => (one.kind === "volume" && !vmids.has(one.owner) ? [[`${one.host} ${one.owner} ${one.rest}`, one]] : [])),
  );
  const files = new Map(all.flatMap((one) => (one.kind === "file" ? [[`${one.host} ${one.name}`, one]] : [])));
  await Promise.all([
    ...vms.map(async (vm) => {
      const on = `/nodes/${hostOf(vm)}/qemu`;
      await root.task("POST", on, {
        ...{ vmid: vm.vmid, name: vm.name, cores: 1, memory: 512, scsi0: "local-lvm:1" },
        net0: `virtio${vm.mac === undefined ? "" : `=${vm.mac}`},bridge=vmbr0`,
        ...(vm.description !== undefined && { description: vm.description }),
        ...(vm.tags !== undefined && { tags: vm.tags }),
        ...(vm.becomes === "protected" && { protection: 1 }),
        ...(vm.pool && { pool: POOL }),
      });
      if (vm.becomes === "running") await root.task("POST", `${on}/${vm.vmid}/status/start`);
      if (vm.becomes === "template") await root.task("POST", `${on}/${vm.vmid}/template`);
    }),
    ...[...volumes.values()].map((one) =>
      root.call("POST", `/nodes/${hostOf(one)}/storage/local-lvm/content`, {
        ...{ vmid: one.owner, filename: `vm-${one.owner}-${one.rest}`, size: "1G" },
      }),
    ),
    ...[...files.values()].map((one) =>
      root.task("POST", `/nodes/${hostOf(one)}/storage/local/download-url`, {
        content: "import",
        filename: one.name,
        url: image.url,
      }),
    ),
  ]);
}
