import { setMaxListeners } from "node:events";
import { EventBus } from "../../src/engine/bus.ts";
import type { Event } from "../../src/engine/event.ts";
import type { PlanResult } from "../../src/engine/result.ts";
import type { ChartFiles } from "../../src/lab/charts/chart.ts";
import { chartsService } from "../../src/lab/charts/service.ts";
import { factoryService } from "../../src/lab/factory/service.ts";
import type { Endpoint, RunningLab, Service } from "../../src/lab/kernel/kernel.ts";
import { createLab } from "../../src/lab/kernel/lab.ts";
import { kubernetesService } from "../../src/lab/kubernetes/service.ts";
import { proxmoxService } from "../../src/lab/proxmox/service.ts";
import { talosService } from "../../src/lab/talos/service.ts";
import { Redactor } from "../../src/lib/secret.ts";
import { realWorld } from "../../src/lib/world/real.ts";
import { steadyClock } from "../../src/lib/world/steady-clock.ts";
import type { Files } from "../../src/lib/world/world.ts";
import { reportView } from "../../src/views/report-view.ts";
import { bringUp } from "../../src/workflows/bring-up.ts";
import { pruneImages } from "../../src/workflows/images.ts";
import { planEnvironment } from "../../src/workflows/plan.ts";
import type { Stages } from "../../src/workflows/stages.ts";
import { takeDown } from "../../src/workflows/take-down.ts";
import { verifyEnvironment } from "../../src/workflows/verify.ts";
import { type ConfigWishes, type LabCoordinates, labConfig } from "../support/config.ts";
import { Root } from "../support/root.ts";
import { testWorld } from "../support/test-world.ts";
import { VolatileFiles } from "../support/volatile-files.ts";

export const ROOT_PASSWORD = "lifecycle-root";
/** Ours and the lab's. Slow enough that what lags and what is under way in the lab is still so when the next command looks. */
const TIME_SCALE = 60;
/** The factory's first build is only waited for; nothing happens in it. */
const BUILD_MS = 3_000;
export const FOLDER = "/env";
/** The stages that make machines. */
const MACHINES: Stages = { from: "preflight", until: "provision" };

export interface Pace {
  timeScale?: number;
  /** Every call moves the lab's time on by this much, and little else does: what is under way stays so however busy the machine is. */
  perCallMs?: number;
  buildMs?: number;
  /** Machines boot, and a cluster can live on them. */
  cluster?: boolean;
  /** More charts than the lab has. */
  charts?: readonly ChartFiles[];
}

/** A lab and the talosmith that works on it, in one process over real sockets. */
export class Scene {
  readonly lab: RunningLab;
  readonly root: Root;
  readonly at: LabCoordinates;
  /** Called when a call has taken effect and its answer is about to leave. */
  onAnswer: (() => void) | undefined;
  /** What a person has in their environment besides the token. */
  env: Record<string, string> = {};
  #pid = 1000;

  private constructor(lab: RunningLab, root: Root, at: LabCoordinates) {
    this.lab = lab;
    this.root = root;
    this.at = at;
  }

  static async open(seed = "lifecycle", pace: Pace = {}): Promise<Scene> {
    let scene: Scene | undefined;
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
                scene?.onAnswer?.();
                return writeHead(...args);
              }) as typeof response.writeHead;
              endpoint.answer(request, response);
            },
          };
    const watched = (service: Service): Service => ({
      ...service,
      endpoints: async (lab) => (await service.endpoints(lab)).map(watchedEndpoint),
      ...(service.behind && { behind: (lab, door) => watchedEndpoint((service as Required<Service>).behind(lab, door)) }),
    });
    const services = [
      factoryService({ buildMs: pace.buildMs ?? BUILD_MS }),
      proxmoxService({ rootPassword: ROOT_PASSWORD, gpus: { pve2: ["nvidia rtx 4090"] } }),
      // Without what boots on them, machines are only machines: quicker, for whoever looks no further.
      ...(pace.cluster ? [chartsService({ charts: pace.charts ?? [] }), talosService(), kubernetesService()] : []),
    ].map(watched);
    const { perCallMs, timeScale = perCallMs === undefined ? TIME_SCALE : 1 } = pace;
    const steady = steadyClock();
    const clock = { ...steady, monotonic: () => steady.monotonic() + calls * (perCallMs ?? 0) };
    const lab = await createLab({ ...realWorld(), clock }, { seed, timeScale, services });
    await lab.start();
    const { proxmox = {}, factory = {}, charts = {} } = lab.published();
    const at: LabCoordinates = {
      block: lab.address.prefix,
      url: proxmox.url ?? "",
      fingerprint: proxmox.fingerprint ?? "",
      token: proxmox.token ?? "",
      factory: factory.url ?? "",
      ...(charts.url !== undefined && { charts: charts.url }),
      hosts: (proxmox.hosts ?? "").split(","),
    };
    scene = new Scene(lab, await Root.login(at.url, ROOT_PASSWORD), at);
    return scene;
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** An environment folder that survives a power cut. */
  folder(wishes: ConfigWishes = {}): VolatileFiles {
    const files = new VolatileFiles();
    files.makeFolder(FOLDER, 0o700);
    files.syncFolder("/");
    this.configure(files, wishes);
    return files;
  }

  configure(files: Files, wishes: ConfigWishes): void {
    files.write(`${FOLDER}/config.yaml`, Buffer.from(labConfig(this.at, wishes)), 0o644);
    files.sync(`${FOLDER}/config.yaml`);
    files.syncFolder(FOLDER);
  }

  /** Every command is another process: a lock left behind is a dead one's. */
  #session(files: Files, seed: string) {
    const world = testWorld({
      files,
      timeScale: TIME_SCALE,
      seed,
      env: { LAB_TOKEN: this.at.token, ...this.env },
      self: { pid: this.#pid++ },
    });
    const redactor = new Redactor();
    const bus = new EventBus(world.clock, redactor);
    const events: Event[] = [];
    bus.listen((event) => events.push(event));
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    return { session: { world, bus, redactor, signal: stop.signal, mayMutate: () => {} }, events, stop };
  }

  async up(files: Files, options: UpOptions = {}): Promise<Outcome> {
    const { session, events, stop } = this.#session(files, options.seed ?? "golden");
    session.bus.listen((event) => options.interruptAt?.(event) && stop.abort(new Error("interrupted")));
    const { stages = MACHINES, allowRemove = [], removeAddons = [] } = options;
    const wish = { stages, allowRemove, removeAddons, confirm: async () => true };
    const exitCode = await attempt(bringUp(session, options.folder ?? FOLDER, wish, reportView()), events);
    return { exitCode, events };
  }

  /** Every machine of ours is switched off and on again, hard. */
  async powerCycle(): Promise<void> {
    const ours = (await this.root.vms()).filter((vm) => (vm.config.tags ?? "").split(";").includes("talosmith"));
    for (const power of ["stop", "start"])
      await Promise.all(ours.map((vm) => this.root.task("POST", `/nodes/${vm.node}/qemu/${vm.vmid}/status/${power}`, {})));
  }

  async verify(files: Files): Promise<Outcome> {
    const { session, events } = this.#session(files, "verify");
    return { exitCode: await attempt(verifyEnvironment(session, FOLDER), events), events };
  }

  async down(files: Files, folder = FOLDER): Promise<Outcome> {
    const { session, events } = this.#session(files, "down");
    return { exitCode: await attempt(takeDown(session, folder, { confirm: async () => true }, reportView()), events), events };
  }

  /** `images --prune` */
  async prune(files: Files): Promise<Outcome> {
    const { session, events } = this.#session(files, "prune");
    const wish = { all: false, confirm: async () => true };
    return { exitCode: await attempt(pruneImages(session, FOLDER, wish, reportView()), events), events };
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
  removeAddons?: string[];
  seed?: string;
  folder?: string;
  /** Ctrl-C when this happens. */
  interruptAt?: (event: Event) => boolean;
}

export interface Outcome {
  exitCode: number;
  events: Event[];
}

/** What ends a command ends up in its events, as it would on the screen. */
async function attempt(work: Promise<number>, events: Event[]): Promise<number> {
  try {
    return await work;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    events.push({ at: "", type: "error", error: { kind: "internal", code: "THROWN", message } });
    return 1;
  }
}
