import { setMaxListeners } from "node:events";
import type { Endpoint, RunningLab, Service } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { steadyClock } from "@talosmith/lib/world/steady-clock.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { EventBus } from "../../src/engine/bus.ts";
import type { Event } from "../../src/engine/event.ts";
import type { PlanResult } from "../../src/engine/result.ts";
import { abandonOperation } from "../../src/operations/abandon.ts";
import { replaceNode } from "../../src/operations/node-replace.ts";
import { startCluster } from "../../src/operations/start.ts";
import { stopCluster } from "../../src/operations/stop.ts";
import { hostPrepare } from "../../src/platforms/proxmox/host/command.ts";
import type { HostFlags } from "../../src/platforms/proxmox/host/wish.ts";
import { reportView } from "../../src/views/report-view.ts";
import { bringUp } from "../../src/workflows/bring-up.ts";
import { pruneImages } from "../../src/workflows/images.ts";
import { planEnvironment } from "../../src/workflows/plan.ts";
import { runPlatformCommand } from "../../src/workflows/platform-command.ts";
import type { Prepared } from "../../src/workflows/prepare.ts";
import type { Stages } from "../../src/workflows/stages.ts";
import { takeDown } from "../../src/workflows/take-down.ts";
import { verifyEnvironment } from "../../src/workflows/verify.ts";
import { testWorld } from "../support/test-world.ts";
import { VolatileFiles } from "../support/volatile-files.ts";

/** Time scale of talosmith and the lab. Slow enough that delayed and running work in the lab is still so when the next command starts. */
const TIME_SCALE = 60;
export const FOLDER = "/env";
/** The stages that create machines. */
const MACHINES: Stages = { from: "preflight", until: "provision" };

export interface LabPace {
  timeScale?: number;
  /** Every call advances the lab's time by this much, and little else does: running work stays so however busy the machine is. */
  perCallMs?: number;
}

/** A lab that reports when a call has taken effect and its response is about to be sent. */
export async function watchedLab(
  seed: string,
  all: readonly Service[],
  { perCallMs, timeScale = perCallMs === undefined ? TIME_SCALE : 1 }: LabPace,
  onAnswer: () => void,
): Promise<RunningLab> {
  let calls = 0;
  const watchedEndpoint = (endpoint: Endpoint): Endpoint =>
    "accept" in endpoint
      ? endpoint
      : {
          ...endpoint,
          answer: (request, response) => {
            calls++;
            const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => typeof response;
            response.writeHead = ((...args: unknown[]) => {
              onAnswer();
              return writeHead(...args);
            }) as typeof response.writeHead;
            endpoint.answer(request, response);
          },
        };
  const services = all.map(
    (service): Service => ({
      ...service,
      endpoints: async (lab) => (await service.endpoints(lab)).map(watchedEndpoint),
      ...(service.behind && { behind: (lab, door) => watchedEndpoint((service as Required<Service>).behind(lab, door)) }),
    }),
  );
  const steady = steadyClock();
  const clock = { ...steady, monotonic: () => steady.monotonic() + calls * (perCallMs ?? 0) };
  const lab = await createLab({ ...realWorld(), clock }, { seed, timeScale, services });
  await lab.start();
  return lab;
}

/** An environment folder that survives a power cut. */
export function folderWith(config: string): VolatileFiles {
  const files = new VolatileFiles();
  files.makeFolder(FOLDER, 0o700);
  files.syncFolder("/");
  writeConfig(files, config);
  return files;
}

export function writeConfig(files: Files, config: string): void {
  writeDurably(files, `${FOLDER}/config.yaml`, config, 0o644);
}

/** talosmith working on a lab, in one process over real sockets. */
export class Commands {
  readonly lab: RunningLab;
  /** Environment variables of the user besides those for this lab. */
  env: Record<string, string> = {};
  /** Replaces the network of commands, for tests that watch it. */
  net: World["net"] | undefined;
  readonly #needed: Record<string, string>;
  #pid = 1000;
  #stop = new AbortController();

  protected constructor(lab: RunningLab, needed: Record<string, string> = {}) {
    this.lab = lab;
    this.#needed = needed;
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** Interrupts any command, as Ctrl-C does. */
  interrupt(): void {
    this.#stop.abort(new Error("interrupted"));
  }

  /** Secret values that commands were given. */
  secrets(): string[] {
    return Object.values({ ...this.#needed, ...this.env });
  }

  /** Every command has another process identity: a lock left behind belongs to a dead process. */
  #session(files: Files, seed: string) {
    const made = testWorld({
      files,
      timeScale: TIME_SCALE,
      seed,
      env: { ...this.#needed, ...this.env },
      self: { pid: this.#pid++ },
    });
    const world = { ...made, ...(this.net && { net: this.net }) };
    const redactor = new Redactor();
    const bus = new EventBus(world.clock, redactor);
    const events: Event[] = [];
    bus.listen((event) => events.push(event));
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    this.#stop = stop;
    return { session: { world, bus, redactor, signal: stop.signal, mayMutate: () => {} }, events, stop };
  }

  async up(files: Files, options: UpOptions = {}): Promise<Outcome> {
    const { session, events, stop } = this.#session(files, options.seed ?? "golden");
    session.bus.listen((event) => options.interruptAt?.(event) && stop.abort(new Error("interrupted")));
    const { stages = MACHINES, allowRemove = [], destroyDisks = [], removeAddons = [], confirm = async () => true } = options;
    const wish = { stages, allowRemove, destroyDisks, removeAddons, noSnapshot: options.noSnapshot ?? false, confirm };
    const exitCode = await attempt(bringUp(session, options.folder ?? FOLDER, wish, reportView()), events);
    return { exitCode, events };
  }

  async verify(files: Files): Promise<Outcome> {
    const { session, events } = this.#session(files, "verify");
    return { exitCode: await attempt(verifyEnvironment(session, FOLDER), events), events };
  }

  async down(files: Files, options: DownOptions = {}): Promise<Outcome> {
    const { session, events } = this.#session(files, "down");
    session.bus.listen((event) => options.onEvent?.(event));
    const { destroyDisks = [], confirm = async () => true } = options;
    return { exitCode: await attempt(takeDown(session, FOLDER, { destroyDisks, confirm }, reportView()), events), events };
  }

  /** `node replace` */
  async replaceNode(files: Files, node: string, options: OperationOptions = {}): Promise<Outcome> {
    const { session, events, stop } = this.#session(files, options.seed ?? "replace");
    session.bus.listen((event) => options.interruptAt?.(event) && stop.abort(new Error("interrupted")));
    const wish = { node, confirm: async () => true };
    return { exitCode: await attempt(replaceNode(session, FOLDER, wish, reportView()), events), events };
  }

  async abandon(files: Files, isConfirmed = true): Promise<Outcome> {
    const { session, events } = this.#session(files, "abandon");
    const wish = { confirm: async () => isConfirmed };
    return { exitCode: await attempt(abandonOperation(session, FOLDER, wish, reportView()), events), events };
  }

  /** `talosmith stop` */
  async stop(files: Files, { seed = "stop", interruptAt }: OperationOptions = {}): Promise<Outcome> {
    const { session, events, stop } = this.#session(files, seed);
    session.bus.listen((event) => interruptAt?.(event) && stop.abort(new Error("interrupted")));
    const wish = { allowDegraded: false, confirm: async () => true };
    return { exitCode: await attempt(stopCluster(session, FOLDER, wish, reportView()), events), events };
  }

  /** `talosmith start` */
  async start(files: Files, { seed = "start", interruptAt }: OperationOptions = {}): Promise<Outcome> {
    const { session, events, stop } = this.#session(files, seed);
    session.bus.listen((event) => interruptAt?.(event) && stop.abort(new Error("interrupted")));
    const wish = { confirm: async () => true };
    return { exitCode: await attempt(startCluster(session, FOLDER, wish, reportView()), events), events };
  }

  /** `images --prune` */
  async prune(files: Files): Promise<Outcome> {
    const { session, events } = this.#session(files, "prune");
    const wish = { all: false, confirm: async () => true };
    return { exitCode: await attempt(pruneImages(session, FOLDER, wish, reportView()), events), events };
  }

  /** `host prepare` */
  async prepareHosts(files: Files, flags: HostFlags, seed = "hosts"): Promise<Outcome> {
    const { session, events } = this.#session(files, seed);
    const wish = { flags: { ...flags }, confirm: async () => true };
    return { exitCode: await attempt(runPlatformCommand(session, FOLDER, hostPrepare, wish, reportView()), events), events };
  }

  async plan(files: Files, folder = FOLDER, stages = MACHINES): Promise<Outcome & { plan?: PlanResult }> {
    const { session, events } = this.#session(files, "plan");
    const exitCode = await attempt(planEnvironment(session, folder, stages), events);
    const result = events.flatMap((event) => (event.type === "result" && event.result.kind === "plan" ? [event.result] : []))[0];
    return { exitCode, events, ...(result && { plan: result }) };
  }
}

export interface UpOptions {
  stages?: Stages;
  allowRemove?: string[];
  destroyDisks?: readonly string[];
  removeAddons?: string[];
  noSnapshot?: boolean;
  confirm?: (plan: Prepared) => Promise<boolean>;
  seed?: string;
  folder?: string;
  /** Interrupts the command, as Ctrl-C does, when this happens. */
  interruptAt?: (event: Event) => boolean;
}

export interface OperationOptions {
  seed?: string;
  /** Interrupts the command, as Ctrl-C does, when this happens. */
  interruptAt?: (event: Event) => boolean;
}

export interface DownOptions {
  destroyDisks?: readonly string[];
  confirm?: () => Promise<boolean>;
  onEvent?: (event: Event) => void;
}

export interface Outcome {
  exitCode: number;
  events: Event[];
}

/** The final error is added to the events, as it would be printed. */
async function attempt(work: Promise<number>, events: Event[]): Promise<number> {
  try {
    return await work;
  } catch (error) {
    const thrown = { kind: "internal" as const, code: "THROWN", message: error instanceof Error ? error.message : String(error) };
    events.push({ at: "", type: "error", error: error instanceof TalosmithError ? error.report() : thrown });
    return 1;
  }
}
