import { asTalosmithError, internalError, messageOf, type TalosmithError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { type Lease, leaseAddresses, noPrivateNodes } from "./address.ts";
import { canonicalJson } from "./canonical.ts";
import { chance } from "./chance.ts";
import { type Pump, startPump, type VirtualClock, virtualClock } from "./clock.ts";
import { type Doors, type KeptDoor, keepDoors } from "./doors.ts";
import { openEndpoint } from "./endpoint.ts";
import { checkFaultRules } from "./fault-rules.ts";
import { addRules, meetFault, noFaults, setRules } from "./faults.ts";
import type {
  AddressBlock,
  Call,
  Door,
  Fault,
  FaultCount,
  FaultRule,
  LabOptions,
  Outage,
  Recorder,
  RunningLab,
  Service,
  Strike,
  TransitionHandler,
} from "./kernel.ts";
import { checkOutages, outageAt } from "./outages.ts";
import { type FixedDoor, openFixedDoor } from "./places.ts";
import { createRecorder } from "./recorder.ts";
import { type LabState, readSnapshot, writeSnapshot } from "./snapshot.ts";
import { allStrikes, runStrike } from "./strikes.ts";
import { addTransition, nextTransition, noTransitions, takeDue } from "./transitions.ts";

/** Creates a datacenter on its own addresses. It holds them from now on: `close()` it, started or not. */
export async function createLab(world: World, options: LabOptions): Promise<RunningLab> {
  const lease = await leaseAddresses(world, options.seed, options.address);
  try {
    if (lease.redirects && options.privateNodes) throw noPrivateNodes();
    return new EmbeddedLab({ ...world, net: lease.net }, options, lease);
  } catch (error) {
    await lease.release();
    throw error;
  }
}

const NO_DOORS: readonly Door[] = [];

class EmbeddedLab implements RunningLab {
  readonly recorder: Recorder;
  readonly address: AddressBlock;
  readonly names: Readonly<Record<string, string>>;
  readonly #clock: VirtualClock;
  readonly #services = new Map<string, Service>();
  readonly #handlers = new Map<string, TransitionHandler>();
  readonly #strikes: ReadonlyMap<string, Strike>;
  readonly #places: FixedDoor[] = [];
  readonly #lease: Lease;
  readonly #closing = new AbortController();
  readonly #privateNodes: boolean;
  readonly #client: string | undefined;
  #state: Omit<LabState, "now">;
  #pump: Pump | undefined;
  #doors: Doors | undefined;
  /** The doors that the services returned last. */
  #named: { outages?: readonly Outage[]; doors: readonly (readonly Door[])[] } = { doors: [] };
  /** Set while a turn or a transition runs: time stands still then. */
  #instant: number | undefined;
  #failure: TalosmithError | undefined;

  constructor(
    readonly world: World,
    options: LabOptions,
    lease: Lease,
  ) {
    this.#lease = lease;
    this.#privateNodes = options.privateNodes ?? false;
    this.#client = options.client;
    this.address = { ...lease.address, ...(options.places && { places: options.places }) };
    this.names = options.names ?? {};
    this.#clock = virtualClock(world.clock, options.timeScale);
    this.recorder = createRecorder(() => this.now());
    this.#state = {
      seed: options.seed,
      transitions: noTransitions(),
      faults: noFaults(),
      outages: [],
      serials: {},
      services: {},
    };
    for (const service of options.services) this.#register(service);
    this.#strikes = allStrikes(options.services, (ms) => this.#clock.set(this.#clock.now() + ms));
    for (const service of options.services) {
      // Through JSON at once: a value that would not survive a snapshot fails here, not in the first restore.
      this.#state.services[service.name] = JSON.parse(canonicalJson(service.initial(this), service.name));
    }
  }

  #register(service: Service): void {
    if (this.#services.has(service.name)) {
      throw internalError("LAB_SERVICES", { message: `Unable to run the service ${service.name} twice in one lab` });
    }
    this.#services.set(service.name, service);
    for (const [kind, handler] of Object.entries(service.transitions ?? {})) {
      if (this.#handlers.has(kind)) {
        throw internalError("LAB_SERVICES", { message: `Unable to handle transitions ${kind} in two services` });
      }
      this.#handlers.set(kind, handler);
    }
  }

  get seed(): string {
    return this.#state.seed;
  }

  get redirects(): RunningLab["redirects"] {
    return this.#lease.redirects;
  }

  get timeScale(): number {
    return this.#clock.scale;
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  now(): number {
    return this.#instant ?? this.#clock.now();
  }

  timeOfDay(at: number): number {
    return this.#clock.timeOfDay(at);
  }

  state<S>(service: string): S {
    const state = this.#state.services[service];
    if (!this.#services.has(service) || state === undefined) throw unknownService(service);
    return state as S;
  }

  service<T>(name: string): T {
    const service = this.#services.get(name);
    if (service === undefined) throw unknownService(name);
    return service as T;
  }

  schedule(kind: string, afterMs: number, data: Json): void {
    if (!this.handles(kind)) throw internalError("LAB_TRANSITION", { message: `Unable to schedule ${kind}: it has no handler` });
    if (!Number.isFinite(afterMs) || afterMs < 0) {
      throw internalError("LAB_TRANSITION", { message: `Unable to schedule ${kind} after ${afterMs} ms` });
    }
    addTransition(this.#state.transitions, this.now() + afterMs, kind, data);
    this.#pump?.wake();
  }

  handles(kind: string): boolean {
    return this.#handlers.has(kind);
  }

  chance(...of: (string | number)[]): number {
    return chance(this.#state.seed, ...of);
  }

  serial(name: string): number {
    const { serials } = this.#state;
    const next = (Object.hasOwn(serials, name) ? (serials[name] ?? 0) : 0) + 1;
    serials[name] = next;
    return next;
  }

  fault(call: Call): Fault | undefined {
    return meetFault(this.#state.faults, this.#state.seed, call);
  }

  setFaults(rules: readonly FaultRule[]): void {
    setRules(this.#state.faults, checkFaultRules(rules));
  }

  addFaults(rules: readonly FaultRule[]): void {
    addRules(this.#state.faults, checkFaultRules(rules));
  }

  faults(): readonly FaultRule[] {
    return this.#state.faults.rules.map(({ rule }) => rule);
  }

  faultCounts(): readonly FaultCount[] {
    return this.#state.faults.rules;
  }

  setOutages(outages: readonly Outage[]): void {
    this.#state.outages = checkOutages(outages, [...this.#services.keys()]);
    this.#applyOutages();
    this.settle();
  }

  outages(): readonly Outage[] {
    return this.#state.outages;
  }

  strike(name: string, args: readonly string[]): void {
    this.turn(() => runStrike(this, this.#strikes, name, args));
    // The world's time may have changed.
    this.settle();
    this.#pump?.wake();
  }

  strikes(): Record<string, Pick<Strike, "title" | "args">> {
    return Object.fromEntries([...this.#strikes].map(([name, { title, args }]) => [name, { title, args }]));
  }

  refusals(): ReturnType<RunningLab["refusals"]> {
    return Object.fromEntries([...this.#services].map(([name, { refusals = {} }]) => [name, refusals]));
  }

  pending(): number {
    return this.#state.transitions.pending.length;
  }

  published(): Record<string, Record<string, string>> {
    return Object.fromEntries([...this.#services].map(([name, service]) => [name, service.publish?.(this) ?? {}]));
  }

  settle(): void {
    this.turn(() => {});
  }

  turn<T>(work: () => T): T {
    if (this.#instant !== undefined) return work();
    if (this.closing.aborted) throw internalError("LAB_CLOSED", { message: "Unable to use a lab that is closed" });
    if (this.#failure) throw this.#failure;
    const now = this.#clock.now();
    try {
      this.#runDue(now);
      this.#instant = now;
      const result = work();
      this.#wantDoors();
      return result;
    } finally {
      this.#instant = undefined;
    }
  }

  #wantDoors(): void {
    const { outages } = this.#state;
    const named = [...this.#services.values()].map((service) => service.doors?.(this) ?? NO_DOORS);
    // Most turns change nothing, and a service signals that by returning the same list.
    if (!this.#doors || (this.#named.outages === outages && named.every((doors, at) => doors === this.#named.doors[at]))) return;
    this.#named = { outages, doors: named };
    const names = [...this.#services.keys()];
    const wanted = named.flatMap((doors, at) => doors.map((door) => ({ ...door, service: names[at] ?? "" })));
    this.#doors.want(outages.length === 0 ? wanted : wanted.flatMap((door) => this.#duringOutage(door)));
  }

  /** A silent door has another key than an open one, so that its connections are cut when it changes. */
  #duringOutage(door: KeptDoor): KeptDoor[] {
    const how = outageAt(this, this.#state.outages, door.service, door.host);
    if (how === "refused") return [];
    return [how === undefined ? door : { ...door, isSilent: true }];
  }

  #applyOutages(): void {
    for (const place of this.#places) place.turn(outageAt(this, this.#state.outages, place.service, place.host));
  }

  #keepDoors(): Doors {
    return keepDoors(
      (door) => {
        const endpoint = this.service<Service>(door.service).behind?.(this, door);
        if (!endpoint)
          throw internalError("LAB_DOOR", { message: `There is no endpoint behind the door ${door.host}:${door.port}` });
        const admits = door.isSilent ? () => "silent" as const : (remote: string) => this.#admits(door, remote);
        return openEndpoint(this.world.net, door.service, endpoint, admits);
      },
      (error) => {
        this.#failure = asTalosmithError(error);
      },
    );
  }

  #admits(door: KeptDoor, remote: string): boolean | "silent" {
    if (this.closing.aborted || (this.#privateNodes && !this.#isInside(remote))) return false;
    const from = this.seenAs(remote);
    try {
      const verdicts = this.turn(() => [...this.#services.values()].map((service) => service.admits?.(this, door, from) ?? true));
      return verdicts.find((verdict) => verdict !== true) ?? true;
    } catch {
      // A failed lab reports its failure to every caller.
      return true;
    }
  }

  #isInside(address: string): boolean {
    return address.startsWith(`${this.address.prefix}.`);
  }

  seenAs(remote: string): string {
    return this.#isInside(remote) ? remote : (this.#client ?? remote);
  }

  #runDue(now: number): void {
    for (let due = takeDue(this.#state.transitions, now); due; due = takeDue(this.#state.transitions, now)) {
      this.#instant = due.at;
      try {
        this.#handlers.get(due.kind)?.(this, due.data);
      } catch (error) {
        // The state may be half changed: every call fails from here on, until a restore.
        this.#failure = internalError("LAB_TRANSITION", {
          message: `The lab broke in the transition ${due.kind}: ${messageOf(error)}`,
          cause: error,
        });
        throw this.#failure;
      }
    }
  }

  async sleep(virtualMs: number, signal?: AbortSignal): Promise<void> {
    const either = new AbortController();
    const stop = () => either.abort(signal?.aborted ? signal.reason : this.closing.reason);
    const signals = [this.closing, ...(signal ? [signal] : [])];
    for (const one of signals) one.addEventListener("abort", stop, { once: true });
    if (signals.some((one) => one.aborted)) stop();
    try {
      await this.world.clock.sleep(this.#clock.worldMs(virtualMs), either.signal);
    } finally {
      for (const one of signals) one.removeEventListener("abort", stop);
    }
  }

  snapshot(): string {
    return this.turn(() => writeSnapshot({ ...this.#state, now: this.now() }));
  }

  restore(snapshot: string): void {
    const { now, ...state } = readSnapshot(snapshot, [...this.#services.keys()]);
    const stranger = state.transitions.pending.find(({ kind }) => !this.handles(kind));
    if (stranger) throw internalError("LAB_TRANSITION", { message: `Unable to restore: ${stranger.kind} has no handler` });
    this.#state = state;
    this.#clock.set(now);
    this.#failure = undefined;
    this.#applyOutages();
    this.#pump?.wake();
  }

  async start(): Promise<void> {
    if (this.#pump) throw internalError("LAB_STARTED", { message: "Unable to start a lab twice" });
    for (const service of this.#services.values()) {
      for (const endpoint of await service.endpoints(this)) {
        const open = (isSilent: boolean) =>
          openEndpoint(this.world.net, service.name, endpoint, isSilent ? () => "silent" : undefined);
        const fail = (error: unknown) => {
          this.#failure = asTalosmithError(error);
        };
        this.#places.push(await openFixedDoor({ service: service.name, host: endpoint.host }, open, fail));
      }
    }
    this.#applyOutages();
    this.#doors = this.#keepDoors();
    this.#pump = startPump(
      this.world.clock,
      () => this.#settleQuietly(),
      () => this.#msToNext(),
    );
  }

  /** Keeps a failure for the next call, and for `close`. */
  #settleQuietly(): void {
    try {
      this.settle();
    } catch (error) {
      if (error !== this.#failure && !this.closing.aborted) throw error;
    }
  }

  #msToNext(): number | undefined {
    const next = this.#failure ? undefined : nextTransition(this.#state.transitions);
    return next && this.#clock.worldMs(next.at - this.#clock.now());
  }

  async close(): Promise<void> {
    if (this.closing.aborted) return;
    this.#closing.abort(internalError("LAB_CLOSED", { message: "The lab is closing" }));
    await this.#pump?.stop();
    await this.#doors?.close();
    await Promise.all(this.#places.map((place) => place.close()));
    await this.#lease.release();
    if (this.#failure) throw this.#failure;
  }
}

function unknownService(name: string) {
  return internalError("LAB_SERVICES", { message: `Unable to find the service ${name} in this lab` });
}
