import type { Fault } from "../../src/lab/kernel/kernel.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { clusterViolations } from "./cluster-invariants.ts";
import { enough, said, text } from "./invariants.ts";
import { FULL, sampled } from "./sample.ts";
import { FOLDER, type Outcome, type Scene } from "./scene.ts";

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

export interface Faulty {
  title: string;
  /** Where each run begins. */
  from: { lab: string; files: VolatileFiles };
  run(files: VolatileFiles, seed: string): Promise<Outcome>;
  /** Which of the faults are tried: each fourth one unless it says otherwise. */
  every?: number;
  /** What must hold besides. */
  violations?(): string[];
}

/** Runs once undisturbed, then with one fault at each call to a node or to Kubernetes that it made, and a second time where it must be. */
export async function faultsEverywhere(
  scene: Scene,
  { title, from, run, every, violations = () => [] }: Faulty,
): Promise<{ found: string[]; fired: number; pairs: number }> {
  scene.lab.restore(from.lab);
  scene.lab.recorder.clear();
  const golden = await run(from.files.afterKill(), "golden");
  if (golden.exitCode !== 0) throw new Error(`undisturbed, it does not work either: ${said(golden)}`);
  const calls = scene.lab.recorder.calls().filter((call) => call.service in BUSY && !call.inside);
  const sites = [...new Map(calls.map((call) => [`${call.service} ${call.site}`, call])).values()];

  const found: string[] = [];
  const count = { pairs: 0, fired: 0, survived: 0 };
  const pairs = sites.flatMap(({ service, site, mutating }) =>
    faultsFor(service, mutating).map(([name, fault]) => ({ service, site, name, fault })),
  );
  for (const { service, site, name, fault } of sampled(pairs, every)) {
    if (enough(found)) break;
    count.pairs++;
    scene.lab.restore(from.lab);
    scene.lab.recorder.clear();
    scene.lab.setFaults([{ service, site, occurrence: 1, fault }]);
    const files = from.files.afterKill();
    const first = await run(files, `${site} ${name}`);
    if (scene.lab.recorder.calls().some((call) => call.fault !== undefined)) count.fired++;
    scene.lab.setFaults([]);
    if (first.exitCode === 0) count.survived++;
    const secrets = text(files, `${FOLDER}/secrets.yaml`);
    const last = first.exitCode === 0 ? first : await run(files, `${site} ${name} again`);
    const wrong =
      last.exitCode === 0
        ? [...(await clusterViolations(scene, files, secrets)), ...violations()]
        : [`exit ${last.exitCode}: ${said(last)}`];
    found.push(...wrong.map((line) => `${service} ${site}, ${name}: ${line}`));
    for (const event of first.events)
      if ((event.type === "error" || event.type === "step.finished") && event.error?.kind === "internal")
        found.push(`${site}, ${name}: internal error: ${event.error.message}`);
  }
  console.log(
    `lifecycle: ${title}: ${sites.length} call sites, ${count.fired} of ${count.pairs} (call site × fault kind) pairs fired, ${count.survived} survived without a second run; violations ${found.length}`,
  );
  return { found, ...count };
}
