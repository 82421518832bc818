import { chance } from "@talosmith/lab/kernel/chance.ts";
import type { Fault, FaultRule, KnownRefusal } from "@talosmith/lab/kernel/kernel.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { FOLDER } from "./commands.ts";
import { said, text } from "./invariants.ts";
import { saidWrong } from "./leaks.ts";
import type { Play, Scenario, Stage } from "./scenario.ts";

/** After this many disturbed runs there are no more faults, and the undisturbed runs must be enough. */
const DISTURBED = 3;
const UNDISTURBED = 2;

export interface Played {
  scenario: string;
  found: string[];
  recoveries: number;
  /** The events of the play, for replaying it. */
  story: string[];
}

/** Random choices, determined by the seed alone. */
class Chances {
  readonly #seed: string;
  constructor(seed: number) {
    this.#seed = `lifecycle ${seed}`;
  }

  happens(probability: number, ...of: (string | number)[]): boolean {
    return this.share(...of) < probability;
  }

  share(...of: (string | number)[]): number {
    return chance(this.#seed, ...of);
  }

  number(below: number, ...of: (string | number)[]): number {
    return Math.floor(this.share(...of) * below);
  }

  one<T>(all: readonly T[], ...of: (string | number)[]): T {
    return all[this.number(all.length, ...of)] as T;
  }
}

/** Plays one of the scenarios in a lab of its own, disturbed as the seed determines, until it is done. */
export async function playSeed(seed: number, play: Play<Stage>): Promise<Played> {
  const chances = new Chances(seed);
  const scenario = chances.one(play.scenarios, "scenario");
  const scene = await play.open(`seed ${seed}`);
  try {
    return await disturbedThenNot(scene, scenario, chances);
  } finally {
    await scene.close();
  }
}

async function disturbedThenNot(scene: Stage, scenario: Scenario<Stage>, chances: Chances): Promise<Played> {
  const played: Played = { scenario: scenario.name, found: [], recoveries: 0, story: [] };
  const { found, story } = played;
  let files = await scenario.prepare(scene);
  const wrongIn = await scenario.judge(scene);
  const command = (n: number) => (n > 0 && scenario.next ? scenario.next(scene, files) : scenario.run(scene, files, `run ${n}`));
  let done = false;
  let n = 0;
  for (; n < DISTURBED && !done; n++) {
    scene.lab.setFaults(rules(scene, chances, n));
    scene.lab.recorder.clear();
    const killed = watch(scene, files, chances, n, story);
    const outcome = await command(n);
    files.onChange = undefined;
    scene.lab.setOutages([]);
    found.push(...saidWrong(files, outcome, scene.secrets()).map((line) => `run ${n + 1}: ${line}`));
    const met = scene.lab.recorder.calls().filter(({ fault }) => fault !== undefined);
    if (met.length > 0) story.push(`run ${n + 1} met ${met.length} faults`);
    if (killed.left) {
      scene.lab.restore(killed.left.lab);
      scene.lab.setOutages([]);
      files = killed.left.files;
    } else done = outcome.exitCode === 0 && (n > 0 || scenario.next === undefined);
  }
  scene.lab.setFaults([]);
  if (story.some((line) => line.includes("lost its power"))) await backOn(scene);
  const secrets = text(files, `${FOLDER}/secrets.yaml`);
  const problems: string[] = [];
  for (let tries = 0; tries < UNDISTURBED && !done; tries++) {
    const outcome = await command(n++);
    found.push(...saidWrong(files, outcome, scene.secrets()).map((line) => `undisturbed: ${line}`));
    done = outcome.exitCode === 0;
    if (!done) problems.push(`exit ${outcome.exitCode}: ${said(outcome)}`);
  }
  played.recoveries = n - 1;
  if (problems.length > 0) story.push(`${problems.length} undisturbed runs in vain`);
  found.push(...(done ? await wrongIn(files, secrets) : problems));
  return played;
}

/** Gives every host its power back, and waits until it has started. */
async function backOn({ lab }: Stage): Promise<void> {
  for (const host of HOSTS) lab.strike("power-on", [host]);
  await lab.sleep(AFTER_POWER_MS);
}

/** A few kinds of rare faults, at the calls of one service or of all. */
function rules({ lab }: Stage, chances: Chances, run: number): FaultRule[] {
  const refusals = lab.refusals();
  const services = Object.keys(refusals);
  const count = 2 + chances.number(3, "rules", run);
  return Array.from({ length: count }, (_, n): FaultRule => {
    const service = chances.one(services, "service", run, n);
    const fault = anyFault(chances, [run, n], Object.values(refusals[service] ?? {}));
    const share = 0.01 + 0.03 * chances.share("share", run, n);
    return { ...((fault.kind === "refuse" || chances.happens(0.5, "narrow", run, n)) && { service }), probability: share, fault };
  });
}

function anyFault(chances: Chances, of: readonly number[], refusals: readonly KnownRefusal[]): Fault {
  const refusal = refusals.length > 0 ? chances.one(refusals, "refusal", ...of) : undefined;
  const all: Fault[] = [
    { kind: "cut-before" },
    { kind: "cut-after" },
    { kind: "delay", ms: 1_000 + chances.number(60_000, "delay", ...of) },
    { kind: "drip", bytes: 1 + chances.number(50, "drip", ...of) },
    ...(refusal ? [{ kind: "refuse", status: refusal.status, message: refusal.message } as const] : []),
  ];
  return chances.one(all, "fault", ...of);
}

const AFTER_POWER_MS = 120_000;
const HOSTS = ["pve1", "pve2", "pve3"];
/**
 * How long a Proxmox host is off, in seconds of the lab's time: it may be back in the same run, in the next one, or when there are no more faults.
 */
const AWAY_S = [20, 120, 600];

/** Kills the run at a line of its journal, makes a service unavailable for some lines, and switches off a Proxmox host. */
function watch(scene: Stage, files: VolatileFiles, chances: Chances, run: number, story: string[]) {
  const killed: { left?: { lab: string; files: VolatileFiles } } = {};
  const killAt = run < 2 && chances.happens(0.6, "kill", run) ? 1 + chances.number(90, "kill at", run) : 0;
  const outAt = chances.happens(0.35, "outage", run) ? 5 + chances.number(60, "outage at", run) : 0;
  const outUntil = outAt + 3 + chances.number(20, "outage lasts", run);
  const service = chances.one(Object.keys(scene.lab.published()), "outage of", run);
  const how = chances.one(["refused", "silent"] as const, "outage how", run);
  const powerAt =
    "power-loss" in scene.lab.strikes() && chances.happens(0.25, "power", run) ? 5 + chances.number(60, "power at", run) : 0;
  let lines = 0;
  files.onChange = (operation, path) => {
    if (operation !== "append" || !path.endsWith("/events.jsonl") || killed.left) return;
    lines++;
    if (lines === outAt) {
      story.push(`${service} ${how} at line ${lines} of run ${run + 1}`);
      scene.lab.setOutages([{ service, how }]);
    }
    if (lines === outUntil) scene.lab.setOutages([]);
    if (lines === powerAt) {
      const host = chances.one(HOSTS, "power of", run);
      story.push(`${host} lost its power at line ${lines} of run ${run + 1}`);
      scene.lab.strike("power-loss", [host, String(chances.one(AWAY_S, "power for", run))]);
    }
    if (lines !== killAt) return;
    const isCut = chances.happens(0.5, "power cut", run);
    story.push(`${isCut ? "power cut" : "killed"} at line ${lines} of run ${run + 1}`);
    killed.left = { lab: scene.lab.snapshot(), files: isCut ? files.afterCrash() : files.afterKill() };
    scene.interrupt();
  };
  return killed;
}
