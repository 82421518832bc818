import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../src/engine/event.ts";
import type { Node } from "../../src/kubernetes/objects.ts";
import { insiderWith } from "../support/cluster.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { said, text } from "./invariants.ts";
import { FOLDER, Scene } from "./scene.ts";

// Several schematics and releases in one cluster, and their changes in the config. The tests build on each other.

const TOOLS = "siderolabs/iscsi-tools, siderolabs/util-linux-tools";
const ALL = { from: "preflight", until: "verify" } as const;
const { signal } = new AbortController();
let scene: Scene;
let files: VolatileFiles;
beforeAll(async () => {
  scene = await Scene.open("schematics", { cluster: true });
});
afterAll(() => scene.close());

/** disk-1 and so on, each with its extensions. */
const wishes = (...extensions: string[]) => ({
  workers: 0,
  extra: extensions
    .map((of, n) => `  - { name: disk-${n + 1}, role: worker, ip: ${scene.at.block}.${31 + n}, extensions: [${of}] }\n`)
    .join(""),
});
const ending = (events: readonly Event[]) => events.flatMap((event) => (event.type === "run.finished" ? [event.summary] : []))[0];

test("another schematic for a running node is reported, and the node stays unchanged, because that is an upgrade", async () => {
  files = scene.folder(wishes(TOOLS));
  const made = await scene.up(files, { stages: ALL });
  expect(made.exitCode, said(made)).toBe(0);
  expect((await scene.plan(files, undefined, ALL)).plan).toMatchObject({ changes: [], notes: [] });
  scene.configure(files, wishes("siderolabs/qemu-guest-agent"));
  const { plan, exitCode } = await scene.plan(files, undefined, ALL);
  expect(exitCode).toBe(2);
  // The files in the folder follow the config; the node does not.
  expect(plan?.changes.filter(({ step }) => !step.startsWith("generate/"))).toEqual([]);
  expect(plan?.notes.map(({ message }) => message)).toEqual([
    "disk-1 runs without siderolabs/qemu-guest-agent (another image is an upgrade, which up does not do)",
  ]);
  expect(plan?.upgrade?.images).toMatchObject([{ node: "disk-1", lacks: ["siderolabs/qemu-guest-agent"] }]);
});

test("with another Talos version in the config a new node joins with the version of the others, and up, plan and verify print the same line", async () => {
  scene.configure(files, { ...wishes(TOOLS, TOOLS), talos: "v1.14.1" });
  const made = await scene.up(files, { stages: ALL });
  expect(made.exitCode, said(made)).toBe(1);
  expect(ending(made.events)).toMatch(
    /is up: 1 control plane, 2 workers, all Ready\n.*Talos v1\.13\.9 \(config: v1\.14\.1\), Kubernetes v1\.36\.3 \(config: v1\.37\.0\)$/,
  );
  const person = insiderWith(text(files, `${FOLDER}/secrets.yaml`) ?? "", `${scene.at.block}.11`);
  try {
    const { version } = await person.talos.node(`${scene.at.block}.32`).version(signal);
    const nodes = await person.kubernetes.list<Node>({ apiVersion: "v1", kind: "Node" }, signal);
    const joined = nodes.find(({ metadata }) => metadata.name === "disk-2");
    expect([version, joined?.status?.nodeInfo?.kubeletVersion]).toEqual(["v1.13.9", "v1.36.3"]);
  } finally {
    person.close();
  }
  const again = await scene.plan(files, undefined, ALL);
  expect([again.exitCode, again.plan?.changes]).toEqual([2, []]);
  const lines = again.plan?.notes.map(({ message }) => message);
  expect(lines).toEqual([expect.stringContaining("the cluster runs Talos v1.13.9 and Kubernetes v1.36.3, the config says")]);
  const verified = await scene.verify(files);
  const failed = verified.events.flatMap((event) =>
    event.type === "result" && event.result.kind === "checks"
      ? event.result.checks.flatMap(({ findings }) => findings.filter(({ level }) => level !== "ok"))
      : [],
  );
  expect([verified.exitCode, failed.map(({ message }) => message)]).toEqual([1, lines]);
});
