import { setMaxListeners } from "node:events";
import { datacenter } from "@talosmith/lab/host/services.ts";
import type { RunningLab, Service } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { EventBus } from "../src/engine/bus.ts";
import type { Session } from "../src/engine/context.ts";
import type { Event } from "../src/engine/event.ts";
import { reportView } from "../src/views/report-view.ts";
import { bringUp } from "../src/workflows/bring-up.ts";
import { planEnvironment } from "../src/workflows/plan.ts";
import { ALL_STAGES, type Stages } from "../src/workflows/stages.ts";
import { showStatus } from "../src/workflows/status.ts";
import { takeDown } from "../src/workflows/take-down.ts";
import { verifyEnvironment } from "../src/workflows/verify.ts";
import { type ConfigWishes, labConfig } from "../test/support/config.ts";
import { testWorld } from "../test/support/test-world.ts";
import { VolatileFiles } from "../test/support/volatile-files.ts";
import { CallCount } from "./call-count.ts";
import { LabWork } from "./lab-work.ts";
import type { Pace } from "./pace.ts";

const FOLDER = "/env";

type Command = (session: Session & { redactor: Redactor }) => Promise<number>;

export interface Ran {
  events: { at: number; event: Event }[];
  from: number;
  to: number;
}

/** The demo's datacenter and talosmith working on it, in one process and on one clock. */
export class Site {
  readonly lab: RunningLab;
  readonly work: LabWork;
  readonly calls: CallCount;
  readonly #pace: Pace;
  readonly #files = new VolatileFiles();
  readonly #token: string;

  private constructor(lab: RunningLab, work: LabWork, calls: CallCount, pace: Pace, wishes: ConfigWishes) {
    this.lab = lab;
    this.work = work;
    this.calls = calls;
    this.#pace = pace;
    const { proxmox = {}, factory = {}, charts = {} } = lab.published();
    this.#token = proxmox.token ?? "";
    const at = {
      block: lab.address.prefix,
      url: proxmox.url ?? "",
      fingerprint: proxmox.fingerprint ?? "",
      token: this.#token,
      factory: factory.url ?? "",
      charts: charts.url ?? "",
      hosts: (proxmox.hosts ?? "").split(","),
    };
    this.#files.makeFolder(FOLDER, 0o700);
    this.#files.write(`${FOLDER}/config.yaml`, Buffer.from(labConfig(at, wishes)), 0o644);
  }

  static async open(pace: Pace, wishes: ConfigWishes, all: readonly Service[] = datacenter()): Promise<Site> {
    const [work, calls] = [new LabWork(), new CallCount()];
    work.onChange = () => pace.changed();
    const services = all.map((service) => calls.watched(work.watched(service)));
    const lab = await createLab(pace.lived({ ...realWorld(), clock: pace.labClock }), { seed: "bench", timeScale: 1, services });
    work.watch(lab);
    calls.watch(lab, () => pace.changed());
    await lab.start();
    return new Site(lab, work, calls, pace, wishes);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  up(stages: Stages = ALL_STAGES): Promise<Ran> {
    const wish = { stages, allowRemove: [], confirm: async () => true };
    return this.#run("up", (session) => bringUp(session, FOLDER, wish, reportView()));
  }

  plan(stages: Stages = ALL_STAGES): Promise<Ran> {
    return this.#run("plan", (session) => planEnvironment(session, FOLDER, stages));
  }

  down(): Promise<Ran> {
    return this.#run("down", (session) => takeDown(session, FOLDER, { confirm: async () => true }, reportView()));
  }

  verify(): Promise<Ran> {
    return this.#run("verify", (session) => verifyEnvironment(session, FOLDER));
  }

  status(): Promise<Ran> {
    return this.#run("status", (session) => showStatus(session, FOLDER));
  }

  async #run(name: string, command: Command): Promise<Ran> {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const world: World = this.#pace.lived({
      ...testWorld({ files: this.#files, seed: name, env: { LAB_TOKEN: this.#token } }),
      clock: this.#pace.ourClock(stop.signal),
    });
    const redactor = new Redactor();
    const bus = new EventBus(world.clock, redactor);
    const ran: Ran = { events: [], from: this.lab.now(), to: 0 };
    bus.listen((event) => ran.events.push({ at: this.lab.now() - ran.from, event }));
    const ours = this.calls.caller(name, world);
    const exitCode = await command({ world: ours, bus, redactor, signal: stop.signal, mayMutate: () => {} });
    ran.to = this.lab.now();
    if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}\n${problemsIn(ran)}`);
    return ran;
  }
}

function problemsIn({ events }: Ran): string {
  const told = events.filter(({ event }) => event.type === "error" || (event.type === "step.finished" && event.error));
  return told.map(({ event }) => JSON.stringify(event)).join("\n");
}
