import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { datacenter } from "@talosmith/lab/host/services.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import type { ErrorReport } from "@talosmith/lib/errors.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planEnvironment } from "../workflows/plan.ts";
import { ALL_STAGES } from "../workflows/stages.ts";
import { rehearsed, userSession } from "./testing/rehearsed.ts";

// A second lab plays the real site: small, without a GPU, with a storage that takes no images and a login that may not do everything.

let real: RunningLab;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "talosmith-like-real-"));
  const storages = [
    { id: "old", type: "dir", content: ["iso", "backup"] },
    { id: "local", type: "dir", content: ["iso", "import"], totalGiB: 40, usedGiB: 10 },
  ] as const;
  const hosts = [
    { name: "small", memoryGiB: 8, usedGiB: 2, cpus: 4 },
    { name: "large", memoryGiB: 64, usedGiB: 5, cpus: 16 },
  ];
  const services = datacenter({ hosts, storages, version: "8.4", disksGiB: 60 });
  real = await createLab(realWorld(), { seed: "real", timeScale: "instant", services });
  await real.start();
});
afterAll(async () => {
  await real.close();
  rmSync(home, { recursive: true });
});

interface Wishes {
  storage?: string;
  nodes: string;
}

function environment(name: string, { storage = "{ disks: local-lvm, images: local }", nodes }: Wishes): string {
  const { url, fingerprint } = real.published().proxmox ?? {};
  const block = real.address.prefix;
  const folder = join(home, name);
  mkdirSync(folder);
  writeFileSync(
    join(folder, "config.yaml"),
    `platform: proxmox
cluster: { name: ${name}, endpoint: ${block}.5, talos: v1.13.9 }
network: { cidr: ${block}.0/24, gateway: ${block}.250 }
image: { method: template, factory: "${real.published().factory?.url}" }
proxmox:
  url: ${url}
  tls: { fingerprint: "${fingerprint}" }
  token: \${env:LAB_TOKEN}
  hosts: [large, small]
  storage: ${storage}
nodes:
  - { name: cp, role: controlplane, ip: ${block}.11, host: large }
${nodes.replaceAll("BLOCK", block)}`,
  );
  return folder;
}

const credentials = () => ({ LAB_TOKEN: real.published().proxmox?.token ?? "" });
const messages = (errors: readonly ErrorReport[]) => [...new Set(errors.map(({ message }) => message))].sort();

/** The problems of a plan at the real site, and of a rehearsal that is like it. */
async function both(folder: string): Promise<{ real: string[]; rehearsed: string[]; exitCode: number }> {
  const there = userSession(credentials());
  await planEnvironment(there.session, folder, ALL_STAGES);
  const { exitCode, errors } = await rehearsed(folder, credentials(), { likeReal: true });
  return { real: messages(there.errors()), rehearsed: messages(errors), exitCode };
}

const WORKER = "  - { name: worker, role: worker, ip: BLOCK.21";

test.each<[string, Wishes, RegExp]>([
  [
    "memory",
    { nodes: `${WORKER}, host: small, memory: 12GiB }\n` },
    /worker has 12 GiB of memory in the config, but its host small/,
  ],
  ["gpu", { nodes: `${WORKER}, host: large, pci: [{ mapping: rtx4090, gpu: nvidia }] }\n` }, /no PCI mapping rtx4090/],
  ["storage", { nodes: "", storage: "{ disks: local-lvm, images: old }" }, /storage old on large does not take "import"/],
])(
  "a config that the real site refuses (%s) is refused in the rehearsal with the same message",
  async (name, wishes, expected) => {
    const folder = environment(name, wishes);
    const met = await both(folder);
    expect(met.real.join("\n")).toMatch(expected);
    expect(met).toEqual({ real: met.real, rehearsed: met.real, exitCode: 1 });
  },
);

test("missing rights are missing in the rehearsal, too", async () => {
  const folder = environment("rights", { nodes: "" });
  const before = real.snapshot();
  real.strike("right-removed", ["Datastore.AllocateSpace"]);
  const met = await both(folder);
  real.restore(before);
  expect(met.real.join("\n")).toContain("Datastore.AllocateSpace");
  expect(met.rehearsed).toEqual(met.real);
});

test("a config that fits the real site passes, and the real site is only read", async () => {
  const before = real.recorder.calls().length;
  const folder = environment("fits", { nodes: `${WORKER} }\n` });
  const { exitCode, errors } = await rehearsed(folder, credentials(), { likeReal: true });
  expect([exitCode, errors]).toEqual([0, []]);
  const calls = real.recorder.calls().slice(before);
  expect(calls.length).toBeGreaterThan(5);
  expect(calls.filter(({ mutating }) => mutating)).toEqual([]);
});
