import { paths } from "../environment/folder.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { bringUp } from "../workflows/bring-up.ts";
import { planEnvironment } from "../workflows/plan.ts";
import type { Report } from "../workflows/report.ts";
import { ALL_STAGES } from "../workflows/stages.ts";
import { takeDown } from "../workflows/take-down.ts";
import { verifyEnvironment } from "../workflows/verify.ts";
import { type RehearsalEvent, strikesOf } from "./events.ts";
import { chooseFaults, metFaults, type PlannedFault } from "./faults.ts";
import type { Rehearsal } from "./open.ts";
import { type CommandSession, type Phase, runPhase } from "./phase.ts";
import { scale } from "./scale.ts";

/** Until Kubernetes has noticed that a node is gone, with its grace period of 40 s. */
const NOTICED_MS = 90_000;
/** A host starts, and its machines after it. */
const BACK_MS = 4 * 60_000;
/** How long a cluster may need to recover once everything is switched on again. */
const RECOVERY_MS = 15 * 60_000;
/** Runs with faults; each fault happens once, so that they come to an end. */
const MOST_RUNS = 6;

const confirm = async () => true;

/** The commands and events of a rehearsal; each becomes a phase of the report. */
export class Scenes {
  readonly phases: Phase[] = [];
  readonly #session: CommandSession;
  readonly #folder: string;
  readonly #rehearsal: Rehearsal;
  readonly #report: () => Report;

  constructor(session: CommandSession, folder: string, rehearsal: Rehearsal, report: () => Report) {
    this.#session = session;
    this.#folder = folder;
    this.#rehearsal = rehearsal;
    this.#report = report;
  }

  up(name = "up", allowRemove: readonly string[] = []): Promise<Phase> {
    const wish = { stages: ALL_STAGES, allowRemove, confirm };
    return this.#phase(name, (inner) => bringUp(inner, this.#folder, wish, this.#report()));
  }

  /** The cluster is as the config says, and nothing would be changed. */
  async check(after = ""): Promise<void> {
    await this.#phase(`verify${after}`, (inner) => verifyEnvironment(inner, this.#folder));
    await this.#phase(`plan${after}`, (inner) => planEnvironment(inner, this.#folder, ALL_STAGES));
  }

  down(): Promise<Phase> {
    return this.#phase("down", (inner) => takeDown(inner, this.#folder, { confirm }, this.#report()));
  }

  happens(event: RehearsalEvent): Promise<void> {
    return event.is === "scale" ? this.#scaled(event.name, event.count) : this.#lost(event);
  }

  /** A loss is survived when the cluster's endpoint still answers, and when all is well again afterwards. */
  async #lost(event: RehearsalEvent): Promise<void> {
    const { lab, shape } = this.#rehearsal;
    const { lost, back } = strikesOf(event, shape);
    const phase = await this.#phase(`${event.name} is lost`, async (inner) => {
      lab.strike(lost[0], lost.slice(1));
      await lab.sleep(NOTICED_MS, inner.signal);
      return verifyEnvironment(inner, this.#folder);
    });
    const found = (phase.checks?.checks ?? []).flatMap(({ findings }) => findings);
    const survives = found.some(({ code, level }) => code === "ENDPOINT" && level === "ok");
    phase.verdict = survives ? "passed" : "failed";
    phase.remark = `${survives ? "survived: " : ""}the Kubernetes API ${survives ? "answers" : "does not answer"} without ${event.name}`;
    if (back) {
      lab.strike(back[0], back.slice(1));
      await lab.sleep(BACK_MS, this.#session.signal);
    } else await this.up(`up after ${event.name}`);
    await this.#phase(`verify after ${event.name}`, (inner) => verifyEnvironment(inner, this.#folder, RECOVERY_MS));
    await this.#phase(`plan after ${event.name}`, (inner) => planEnvironment(inner, this.#folder, ALL_STAGES));
  }

  async #scaled(pool: string, count: number): Promise<void> {
    const { files, world } = this.#rehearsal;
    const names = () => openEnvironment(world, this.#folder, this.#session.redactor).config.nodes.map(({ name }) => name);
    const before = names();
    scale(files, this.#folder, pool, count);
    const staying = names();
    const leaving = before.filter((name) => !staying.includes(name));
    const phase = await this.up(`scale ${pool} to ${count}`);
    if (phase.verdict === "failed" && leaving.length > 0 && phase.errors.every(({ code }) => code === "CONSENT_NEEDED")) {
      phase.verdict = "refused";
      phase.remark = `needs ${leaving.map((name) => `--allow-remove ${name}`).join(" ")}`;
      await this.up(`scale ${pool} to ${count}, allowed`, leaving);
    }
    await this.check(` after scaling ${pool}`);
  }

  /** Starts from the beginning, with faults at calls that the first `up` made, until it converges. */
  async faults(count: number, seed: string, start: string, calls: Parameters<typeof chooseFaults>[1]): Promise<PlannedFault[]> {
    const { lab, files, env } = this.#rehearsal;
    lab.restore(start);
    files.remove(paths.state(env.folder));
    lab.setFaults(await chooseFaults(lab, calls, count, seed));
    const name = `up with ${count} faults`;
    const total: Phase[] = [];
    for (let run = 1; run <= MOST_RUNS; run++) {
      const phase = await this.up(run === 1 ? name : `${name}, run ${run}`);
      total.push(phase);
      if (phase.verdict === "passed") break;
    }
    const met = metFaults(lab);
    lab.setFaults([]);
    const isUp = total.at(-1)?.verdict === "passed";
    for (const phase of total.slice(0, -1)) if (isUp) phase.verdict = "stopped";
    const last = total.at(-1);
    if (last && isUp) last.remark = `survived ${met.length} faults in ${total.length} ${total.length === 1 ? "run" : "runs"}`;
    await this.check(" after the faults");
    return met;
  }

  async #phase(name: string, command: (inner: CommandSession) => Promise<number>): Promise<Phase> {
    const { bus, signal } = this.#session;
    signal.throwIfAborted();
    bus.emit({ type: "notice", level: "info", message: `rehearsing ${name}` });
    const done = await runPhase(this.#session, this.#rehearsal.world, name, command);
    signal.throwIfAborted();
    this.phases.push(done);
    return done;
  }
}
