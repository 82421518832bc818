import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fault } from "../../src/lab/kernel/kernel.ts";
import { ALL_STAGES, type Stages } from "../../src/workflows/stages.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { enough, said, text } from "./invariants.ts";
import { FULL, sampled } from "./sample.ts";
import { FOLDER, Scene } from "./scene.ts";

/* From machines that wait for their config to a verified cluster, with one call after the other going wrong. */

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open("cluster-faults", { cluster: true });
});
afterAll(() => scene.close());

/** With FULL=1 also the calls of those that only judge. */
const STAGES: Stages = FULL ? ALL_STAGES : { from: "preflight", until: "addons" };

/** A gRPC code (talos.md 4.3) or an HTTP status; what may work when tried again. */
const BUSY: Record<string, Fault> = {
  talos: { kind: "refuse", status: 14, message: "transport is closing" },
  kubernetes: { kind: "refuse", status: 503, message: "apiserver not ready" },
};
const faultsFor = (service: string, mutating: boolean): [string, Fault][] => [
  ["cut before it took effect", { kind: "cut-before" }],
  ...(mutating ? ([["effective, answer lost", { kind: "cut-after" }]] as [string, Fault][]) : []),
  ...(mutating || FULL ? ([["refused: busy", BUSY[service] as Fault]] as [string, Fault][]) : []),
];

test("one fault at any call to a node or to Kubernetes, and up, run again if it must be, still ends right", {
  timeout: 900_000,
}, async () => {
  const prepared = scene.folder({ cilium: true });
  expect((await scene.up(prepared)).exitCode).toBe(0);
  const start = scene.lab.snapshot();
  const folder = prepared.afterKill();
  scene.lab.recorder.clear();
  const run = (files: typeof folder, seed: string) => scene.up(files, { stages: STAGES, seed });
  expect((await run(prepared, "golden")).exitCode).toBe(0);
  const calls = scene.lab.recorder.calls().filter((call) => call.service in BUSY && !call.inside);
  const sites = [...new Map(calls.map((call) => [`${call.service} ${call.site}`, call])).values()];

  const found: string[] = [];
  const count = { pairs: 0, fired: 0, survived: 0 };
  const pairs = sites.flatMap(({ service, site, mutating }) =>
    faultsFor(service, mutating).map(([name, fault]) => ({ service, site, name, fault })),
  );
  for (const { service, site, name, fault } of sampled(pairs)) {
    if (enough(found)) break;
    count.pairs++;
    scene.lab.restore(start);
    scene.lab.recorder.clear();
    scene.lab.setFaults([{ service, site, occurrence: 1, fault }]);
    const files = folder.afterKill();
    const first = await run(files, `${site} ${name}`);
    if (scene.lab.recorder.calls().some((call) => call.fault !== undefined)) count.fired++;
    scene.lab.setFaults([]);
    if (first.exitCode === 0) count.survived++;
    const secrets = text(files, `${FOLDER}/secrets.yaml`);
    const last = first.exitCode === 0 ? first : await run(files, `${site} ${name} again`);
    const wrong = last.exitCode === 0 ? await clusterViolations(scene, files, secrets) : [`exit ${last.exitCode}: ${said(last)}`];
    found.push(...wrong.map((line) => `${service} ${site}, ${name}: ${line}`));
    for (const event of first.events)
      if ((event.type === "error" || event.type === "step.finished") && event.error?.kind === "internal")
        found.push(`${site}, ${name}: internal error: ${event.error.message}`);
  }
  console.log(
    `lifecycle: cluster: ${sites.length} call sites, ${count.fired} of ${count.pairs} (call site × fault kind) pairs fired, ${count.survived} survived without a second run; violations ${found.length}`,
  );
  expect(found).toEqual([]);
  // What is asked while waiting depends on how long that takes: a call of the first run need not be made in the next.
  expect(count.fired).toBeGreaterThan(count.pairs * 0.9);
});
