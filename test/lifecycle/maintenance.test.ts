import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { KubernetesObject, Node } from "../../src/kubernetes/objects.ts";
import { ALL_STAGES } from "../../src/workflows/stages.ts";
import { type Insider, insiderWith } from "../support/cluster.ts";
import type { ConfigWishes } from "../support/config.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { said, text } from "./invariants.ts";
import { FOLDER, type Outcome, Scene } from "./scene.ts";
import { cordonViolations, watchService } from "./service-watch.ts";
import { expectNoViolations } from "./violation.ts";
import { labels, withWeb } from "./web.ts";

/* Nodes are taken out of service one at a time, drained, and are back before the next one. */

const { signal } = new AbortController();
const UDEV = `{ machine: { udev: { rules: ['KERNEL=="x"'] } } }`;
const open: Insider[] = [];
let scene: Scene;
let folder: VolatileFiles;
let at: string;

beforeAll(async () => {
  scene = await Scene.open("maintenance", { cluster: true });
  folder = scene.folder({ workers: 3 });
  const made = await scene.up(folder, { stages: ALL_STAGES });
  expect(made.exitCode, said(made)).toBe(0);
  at = scene.lab.snapshot();
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(() => scene.close());

/** Restores the created cluster, with another config, and a user's pods on its workers. */
async function again(wishes: ConfigWishes): Promise<{ files: VolatileFiles; cluster: Insider }> {
  scene.lab.setFaults([]);
  scene.lab.restore(at);
  const files = folder.afterKill();
  scene.configure(files, wishes);
  const cluster = insiderWith(text(files, `${FOLDER}/secrets.yaml`) ?? "", `${scene.at.block}.11`);
  open.push(cluster);
  await withWeb(cluster, 3);
  return { files, cluster };
}

const up = (files: VolatileFiles, ...allowRemove: string[]) => scene.up(files, { stages: ALL_STAGES, allowRemove });
const mutations = (outcome: Outcome, pattern: RegExp) =>
  outcome.events.flatMap((event) => (event.type === "mutation.intent" && pattern.test(event.what) ? [event.what] : []));

async function succeeds(files: VolatileFiles, ...allowRemove: string[]): Promise<Outcome> {
  let outcome: Outcome | undefined;
  const found = await watchService(scene, {}, async () => {
    outcome = await up(files, ...allowRemove);
  });
  expect(outcome?.exitCode, outcome && said(outcome)).toBe(0);
  expectNoViolations([...found, ...cordonViolations(scene), ...(await clusterViolations(scene, files, undefined))]);
  return outcome as Outcome;
}

test("memory of one worker and a patch of another that needs a reboot: never both at once, and both are drained", async () => {
  const { files } = await again({ workers: 3, firstWorker: "memory: 6GiB", extra: `patches: { worker: [${UDEV}] }\n` });
  await succeeds(files);
});

test("memory and a patch of the same workers: each is drained once, and restarts once with both changes", async () => {
  const { files } = await again({ workers: 3, memory: "6GiB", extra: `patches: { worker: [${UDEV}] }\n` });
  const outcome = await succeeds(files);
  const each = (what: string) => ["worker-1", "worker-2", "worker-3"].map((name) => `${what} ${name}`);
  expect(mutations(outcome, /^cordon worker/).sort()).toEqual(each("cordon"));
  expect(mutations(outcome, /^shut down worker/).sort()).toEqual(each("shut down"));
  expect(mutations(outcome, /^reboot /)).toEqual([]);
});

test("a disruption budget without slack stops the run before any worker restarts, and every worker stays in service", async () => {
  const { files, cluster } = await again({ workers: 3, firstWorker: "memory: 6GiB" });
  const metadata = { name: "web-budget", namespace: "default" };
  const spec = { minAvailable: 3, selector: { matchLabels: labels } };
  await cluster.kubernetes.create(
    { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec } as KubernetesObject,
    signal,
  );
  const outcome = await up(files);
  expect([outcome.exitCode, said(outcome)]).toEqual([1, expect.stringMatching(/DRAIN: .*web-budget/)]);
  expect(mutations(outcome, /^shut down/)).toEqual([]);
  expectNoViolations(cordonViolations(scene));
});

test("replaced workers are removed one after the other: the second is not cordoned before the first is back", async () => {
  const line = (n: number, last: number) => `  - { name: worker-${n}, role: worker, ip: ${scene.at.block}.${last} }\n`;
  const { files } = await again({ workers: 0, extra: [line(1, 31), line(2, 32), line(3, 23)].join("") });
  await succeeds(files, "worker-1", "worker-2");
});

test("a node that another user cordoned restarts and stays cordoned", async () => {
  const { files, cluster } = await again({ workers: 3, memory: "6GiB" });
  await cluster.kubernetes.merge({ apiVersion: "v1", kind: "Node", name: "worker-2" }, { spec: { unschedulable: true } }, signal);
  const found = await watchService(scene, {}, async () => {
    await up(files);
  });
  const node = await cluster.kubernetes.get<Node>({ apiVersion: "v1", kind: "Node", name: "worker-2" }, signal);
  expect(node?.spec?.unschedulable).toBe(true);
  expectNoViolations([...found, ...cordonViolations(scene, ["worker-2"])]);
});
