import type { FaultRule } from "@talosmith/lab/kernel/kernel.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { foreignIn, said, violations } from "./invariants.ts";
import { Scene } from "./scene.ts";
import { foreignVms } from "./strangers.ts";
import { expectNoViolations } from "./violation.ts";

let scene: Scene;
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open("determinism");
  await foreignVms(scene);
  fresh = scene.lab.snapshot();
});
afterAll(() => scene.close());

/** The changes to each resource, in order. The number of reads depends on the machine's speed; changes must not. */
function traces(): Record<string, string[]> {
  const byResource: Record<string, string[]> = {};
  for (const call of scene.lab.recorder.calls().filter((one) => one.mutating)) {
    const trace = byResource[call.resource] ?? [];
    trace.push(`${call.site} ${call.fault ?? call.status}`);
    byResource[call.resource] = trace;
  }
  return Object.fromEntries(Object.entries(byResource).sort());
}

async function run(rules: readonly FaultRule[]): Promise<Record<string, string[]>> {
  scene.lab.restore(fresh);
  scene.lab.recorder.clear();
  scene.lab.setFaults(rules);
  const files = scene.folder();
  const foreign = await foreignIn(scene);
  const first = await scene.up(files, { seed: "same" });
  const trace = traces();
  scene.lab.setFaults([]);
  if (first.exitCode !== 0)
    expect(await scene.up(files, { seed: "same" }).then((outcome) => [outcome.exitCode, said(outcome)])).toMatchObject([0]);
  expectNoViolations(await violations(scene, files, { machines: ["cp-1", "worker-1", "worker-2"], foreign }));
  return trace;
}

test("the same seed gives the same trace of every resource", async () => {
  const first = await run([]);
  expect(Object.keys(first).length).toBeGreaterThan(6);
  expect(await run([])).toEqual(first);
});

test("the same seed gives the same trace when every third change loses its response", async () => {
  const rules: FaultRule[] = ["POST *", "PUT *"].map((site) => ({
    service: "proxmox",
    site,
    probability: 0.33,
    fault: { kind: "cut-after" },
  }));
  const first = await run(rules);
  expect(JSON.stringify(first)).toContain("cut-after");
  // A lost response is resolved by reading: nothing is downloaded or created a second time.
  const once = Object.values(first).flatMap((trace) =>
    trace.filter((line) => /download-url|POST \/nodes\/:node\/qemu (?!.*already)/.test(line)),
  );
  expect(once).toHaveLength(6);
  expect(await run(rules)).toEqual(first);
});
