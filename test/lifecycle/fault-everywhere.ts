import { type CallSite, callSites, isOf } from "./call-sites.ts";
import { FOLDER } from "./commands.ts";
import { type FaultKind, kindsAt } from "./fault-kinds.ts";
import { enough, report, said, text } from "./invariants.ts";
import { saidWrong } from "./leaks.ts";
import type { Rehearsal } from "./rehearsal.ts";
import { FULL, fairly } from "./sample.ts";
import type { Scenario, Stage } from "./scenario.ts";
import { firedBefore, note, say } from "./tally.ts";

interface Pair extends FaultKind {
  at: CallSite;
  /** Call site × fault kind, in words. */
  pair: string;
}

/** The faults tried in this file: pairs, and their services and kinds. */
export class Mishaps {
  readonly pairs = new Set<string>();
  readonly tags = new Set<string>();
}

/**
 * Runs the command with one fault at each call site of an undisturbed run, and again without faults if it failed. Each pair is tried in one
 * scenario.
 */
export async function faultEverywhere<S extends Stage>(
  scene: S,
  scenario: Scenario<S>,
  { start, calls, wrongIn }: Rehearsal,
  { tried, atMost }: { tried: Mishaps; atMost: number },
): Promise<string[]> {
  const sites = callSites(calls.filter((call) => !call.inside));
  const refusals = scene.lab.refusals();
  const all = sites.flatMap((at): Pair[] =>
    kindsAt(at.call, refusals[at.call.service]).map((kind) => ({ ...kind, at, pair: `${at.name} × ${kind.name}` })),
  );
  const ours = all.filter(({ at, pair }) => scenario.services.includes(at.call.service) && !tried.pairs.has(pair));

  note({ scenario: scenario.name, pairs: all.map(({ pair }) => pair), violations: 0 });

  const found: string[] = [];
  let [tries, fired, survived] = [0, 0, 0];
  for (const { at, fault, name, pair } of fairly(ours, tagsOf, atMost, tried.tags)) {
    if (enough(found)) break;
    // Another file may have tried it meanwhile; a sample is always the same.
    if (FULL && firedBefore().has(pair)) continue;
    tried.pairs.add(pair);
    tries++;
    scene.lab.restore(start.lab);
    scene.lab.recorder.clear();
    scene.lab.setFaults([{ ...at.rule, fault }]);
    const files = start.files.afterKill();
    const first = await scenario.run(scene, files, pair);
    const hasFired = scene.lab.recorder.calls().some((call) => call.fault !== undefined && isOf(at, call));
    if (hasFired) fired++;
    scene.lab.setFaults([]);
    const secrets = text(files, `${FOLDER}/secrets.yaml`);
    if (first.exitCode === 0) survived++;
    const wrong = saidWrong(files, first, scene.secrets());
    const last = first.exitCode === 0 ? first : await scenario.run(scene, files, `${pair} again`);
    wrong.push(...(last.exitCode === 0 ? await wrongIn(files, secrets) : [`exit ${last.exitCode}: ${said(last)}`]));
    report(found, `${at.name}, ${name}`, wrong);
    note({
      scenario: scenario.name,
      planned: [pair],
      fired: hasFired ? [pair] : [],
      recoveries: last === first ? 0 : 1,
      violations: wrong.length,
    });
  }
  const line = `${sites.length} call sites, ${fired} of ${tries} (call site × fault kind) pairs fired, of ${all.length}, most of which happen in other scenarios, too; ${survived} survived without a second run`;
  say(scenario.name, line, found.length);
  return found;
}

/** Each service and each kind of fault occurs; a refusal is one kind for all services. */
const tagsOf = ({ at, fault }: Pair) => [at.call.service, fault.kind];
