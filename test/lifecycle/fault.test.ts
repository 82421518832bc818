import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "../../src/lab/kernel/kernel.ts";
import { enough, foreignIn, said, text, violations } from "./invariants.ts";
import { FULL, sampled } from "./sample.ts";
import { SCENARIOS } from "./scenarios.ts";
import { FOLDER, Scene } from "./scene.ts";
import { foreignVms } from "./strangers.ts";

let scene: Scene;
let fresh: string;

beforeAll(async () => {
  scene = await Scene.open("faults");
  await foreignVms(scene);
  fresh = scene.lab.snapshot();
});
afterAll(async () => {
  await scene.close();
  console.log(
    `lifecycle: faults in all: ${total.fired} distinct (command × call site × fault kind) fired of ${total.wanted} (coverage ${Math.round((100 * total.fired) / total.wanted)} %), violations ${total.violations}`,
  );
});

const total = { wanted: 0, fired: 0, violations: 0 };

const LOCKED = "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout";

/** proxmox.md 1.5 and 2: what goes wrong on the way, and what goes wrong there. */
const ON_EVERY_CALL: readonly [string, Fault][] = [
  ["refused: forwarding timed out", { kind: "refuse", status: 596, message: "Connection timed out" }],
  ["cut before it took effect", { kind: "cut-before" }],
  ["answered late", { kind: "delay", ms: 40_000 }],
];
const ON_CHANGES: readonly [string, Fault][] = [
  ["effective, answer lost", { kind: "cut-after" }],
  ["refused: lock", { kind: "refuse", status: 500, message: LOCKED }],
  ["refused for good", { kind: "refuse", status: 500, message: "unable to open file - No space left on device" }],
];
const ON_TASKS: readonly [string, Fault][] = [
  ["its task failed on a lock", { kind: "task-error", message: LOCKED }],
  ["its task was interrupted", { kind: "task-error", message: "interrupted by signal" }],
];

/** Without FULL=1, what was broken for a command in one scenario is not broken again for the same command in the next. */
const tried = new Set<string>();

const startsTask = (site: string) => /^(POST|PUT|DELETE) /.test(site) && /qemu|download-url/.test(site);

describe.each(SCENARIOS.filter((scenario) => !scenario.next))("$name", (scenario) => {
  test("one fault at any call site, and the command, run again if it must be, still ends right", {
    timeout: 600_000,
  }, async () => {
    scene.lab.restore(fresh);
    const prepared = await scenario.prepare(scene);
    const foreign = await foreignIn(scene);
    const start = scene.lab.snapshot();
    const folder = prepared.afterKill();
    scene.lab.recorder.clear();
    await scenario.run(scene, prepared, "golden");
    const calls = scene.lab.recorder.calls();
    const sites = [
      ...new Map(
        calls.filter((call) => !call.site.includes("/access/")).map((call) => [`${call.service} ${call.site}`, call]),
      ).values(),
    ];

    let pairs = 0;
    let before = 0;
    let fired = 0;
    let survived = 0;
    const found: string[] = [];
    const all = sites.flatMap(({ service, site, mutating }, index) =>
      [
        // Of what can happen to any call, one is taken in turn.
        ...(FULL ? ON_EVERY_CALL : ON_EVERY_CALL.slice(index % 3, (index % 3) + 1)),
        ...(mutating ? ON_CHANGES : []),
        ...(service === "proxmox" && mutating && startsTask(site) ? ON_TASKS : []),
      ].map(([name, fault]) => ({
        service,
        site,
        name,
        fault,
        pair: `${scenario.name.split(",")[0]} ${service} ${site} ${name}`,
      })),
    );
    const fresher = FULL ? all : all.filter(({ pair }) => !tried.has(pair));
    for (const { pair } of all) tried.add(pair);
    before = all.length - fresher.length;
    for (const { service, site, name, fault } of sampled(fresher)) {
      if (enough(found)) break;
      pairs++;
      total.wanted++;
      scene.lab.restore(start);
      scene.lab.recorder.clear();
      scene.lab.setFaults([{ service, site, occurrence: 1, fault }]);
      const files = folder.afterKill();
      const first = await scenario.run(scene, files, `${site} ${name}`);
      if (scene.lab.recorder.calls().some((call) => call.fault !== undefined)) {
        fired++;
        total.fired++;
      }
      scene.lab.setFaults([]);
      const secrets = text(files, `${FOLDER}/secrets.yaml`);
      if (first.exitCode === 0) survived++;
      const last = first.exitCode === 0 ? first : await scenario.run(scene, files, `${site} ${name} again`);
      const wrong =
        last.exitCode === 0
          ? await violations(scene, files, { machines: scenario.machines, kept: scenario.kept ?? [], foreign, secrets })
          : [`exit ${last.exitCode}: ${said(last)}`];
      found.push(...wrong.map((line) => `${service} ${site}, ${name}: ${line}`));
      for (const event of first.events)
        if ((event.type === "error" || event.type === "step.finished") && event.error?.kind === "internal")
          found.push(`${site}, ${name}: internal error: ${event.error.message}`);
    }
    total.violations += found.length;
    console.log(
      `lifecycle: ${scenario.name}: ${sites.length} call sites, ${fired} of ${pairs} (call site × fault kind) pairs fired, of ${all.length} (${before} of them belong to a scenario before), ${survived} survived without a second run; violations ${found.length}`,
    );
    expect(found).toEqual([]);
    expect(fired).toBe(pairs);
  });
});
