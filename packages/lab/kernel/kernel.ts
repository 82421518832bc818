import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Json } from "@talosmith/lib/json.ts";
import type { Serve, World } from "@talosmith/lib/world/world.ts";

/**
 * A simulated datacenter. All state is plain data, pending transitions included, so that `snapshot()` holds the whole datacenter and `restore()`
 * brings it back; no state lives in a closure or a timer.
 */
export interface Lab {
  readonly world: World;
  readonly timeScale: number;
  /** Virtual milliseconds since the epoch: the lab's own time, which runs `timeScale` times as fast as the world's. */
  now(): number;
  /** The time of day at a time of the lab: shown to people, whose clocks do not run at the lab's speed (ADR 0018). */
  timeOfDay(at: number): number;
  /** A service's state: plain data that it alone reads and writes, in place. Call it each time: `restore()` replaces the object. */
  state<S>(service: string): S;
  /**
   * Schedules a transition: the handler registered under `kind` runs at exactly that time, in order of (time, order of scheduling). An unknown kind
   * is refused.
   */
  schedule(kind: string, afterMs: number, data: Json): void;
  /** Whether a service of this lab registered a handler under `kind`. */
  handles(kind: string): boolean;
  /**
   * Runs synchronous `work` at one instant: all due transitions have run before, and `now()` does not change until it returns. All access to state
   * from outside a transition happens in a turn.
   */
  turn<T>(work: () => T): T;
  /** Waits this much virtual time; rejects when aborted, or when the lab closes. */
  sleep(virtualMs: number, signal?: AbortSignal): Promise<void>;
  /** Aborted when the lab closes: for everything that must end with it. */
  readonly closing: AbortSignal;
  /** 0 ≤ x < 1, the same for the same seed and the same `of`, regardless of other events. */
  chance(...of: (string | number)[]): number;
  /** A number that this lab never returned before under this name; survives snapshots. */
  serial(name: string): number;
  /** The fault for this call, if any. Counts the call as an occurrence: call it once per call. */
  fault(call: Call): Fault | undefined;
  readonly recorder: Recorder;
  readonly address: AddressBlock;
  /** Services that answer for servers of the world outside, by host: "factory.example:8080". */
  readonly names: Readonly<Record<string, string>>;
  /** The address under which machines see a client: their own neighbours as they are, others perhaps under another one. */
  seenAs(remoteAddress: string): string;
  /** Another service of this lab, for products that use each other (Proxmox boots machines, downloads from the factory). */
  service<T>(name: string): T;
}

/** 127.x.y.0/24, leased for the life of the lab. */
export interface AddressBlock {
  prefix: string;
  cidr: string;
  host(last: number): string;
  /** Last numbers for addresses of other networks, where it is not the same number. */
  places?: Readonly<Record<string, number>>;
}

/** A call as the lab received it. `site` has placeholders for resources: "POST /nodes/:node/qemu". */
export interface Call {
  service: string;
  site: string;
  /** The subject, from the path and the natural key in the body: "vm 104", "pve1:local talos.qcow2". */
  resource: string;
  mutating: boolean;
  /** The exact command that a host was asked to run: every user who can list its processes sees it. */
  command?: string;
  /** The call comes from a program inside the lab, such as a pod. */
  inside?: true;
}

export type Fault =
  /** The response is delayed by this much virtual time. */
  | { kind: "delay"; ms: number }
  /** The call is refused before it takes effect. */
  | { kind: "refuse"; status: number; message: string }
  /** The connection is cut before the call takes effect. */
  | { kind: "cut-before" }
  /** The call takes effect; the response is lost. */
  | { kind: "cut-after" }
  /** The call takes effect; the response arrives in pieces of this size (after a thousand of them they grow, so that large responses end). */
  | { kind: "drip"; bytes: number }
  /** The call is accepted; the work that it started ends with this error. */
  | { kind: "task-error"; message: string };

/** `*` matches any text in service, site and resource; an absent one matches everything. */
export interface FaultRule {
  service?: string;
  site?: string;
  resource?: string;
  command?: string;
  /** The number of the matching call since the rules were set, from 1; absent = by probability. */
  occurrence?: number;
  /** Probability for each matching call; absent = every call. Probabilities of several rules add up, so that each rule keeps its share. */
  probability?: number;
  /** The rule fires at most this often. */
  times?: number;
  fault: Fault;
}

/** A rule and its counts. */
export interface FaultCount {
  rule: FaultRule;
  /** Number of calls that the rule matched. */
  matched: number;
  /** Number of calls that met its fault. */
  fired: number;
}

/** A documented error of a product: a value for a fault "refuse". */
export interface KnownRefusal {
  /** An HTTP status; a gRPC code (talos); an exit code (ssh, rescue). */
  status: number;
  /** The literal message of the product. */
  message: string;
  /** The cause, for people. */
  when: string;
}

/** An address that cannot be reached for some time: existing connections are cut, new ones are refused or, with "silent", get no response. */
export interface Outage {
  /** `*` matches any text. Absent = every service. */
  service?: string;
  /** The last number of an address of the lab's own block, or a complete address of another network; absent = all addresses of the service. */
  host?: number | string;
  how: "refused" | "silent";
}

/** A single failure of one product: a host loses power, a disk fills up. */
export interface Strike {
  /** One line for people: "a Proxmox host loses power; its locks remain although their owners are gone". */
  title: string;
  /** Names of the arguments in order, for people: ["host"]. All are required unless the name ends with "?". */
  args: readonly string[];
  /** Runs in a turn. Throws a userError for invalid arguments ("there is no host pve9"). */
  run(lab: Lab, args: readonly string[]): void;
}

export interface Recorded extends Call {
  n: number;
  at: number;
  /** HTTP status or the like; absent while the call is running or when it was cut. */
  status?: number;
  fault?: Fault["kind"];
}

export interface Recorder {
  calls(): readonly Recorded[];
  /** Records the start of a call; the caller adds `status` and `fault` later. */
  begin(call: Call): Recorded;
  clear(): void;
}

export type TransitionHandler = (lab: Lab, data: Json) => void;

/** One simulated product. */
export interface Service {
  name: string;
  /** The state at the start of the lab. */
  initial(lab: Lab): object;
  transitions?: Record<string, TransitionHandler>;
  /** The service's addresses and handlers. Handlers read and write state synchronously, so that a snapshot never sees half a call. */
  endpoints(lab: Lab): Promise<Endpoint[]>;
  /**
   * Doors that depend on the state. Called after every turn, so it must be fast; return the same list when nothing has changed, and never modify a
   * returned list. A new door is opened, a missing one is closed with all its connections, one with a changed `key` is closed and opened again. No
   * call waits for a door: opening it takes a moment.
   */
  doors?(lab: Lab): readonly Door[];
  /** The endpoint behind a door: called each time one is opened; may create certificates, but changes no state. */
  behind?(lab: Lab, door: Door): Endpoint;
  /**
   * Whether a new connection to a door of any service is admitted: "silent" drops it, as a firewall does. Called for each new connection of all
   * services; existing connections stay.
   */
  admits?(lab: Lab, to: Pick<Door, "host" | "port">, remoteAddress: string): boolean | "silent";
  /** The service's strikes, by names that no other service uses: "power-loss". */
  strikes?: Record<string, Strike>;
  /** The errors in its reference documentation, by short names: "lock-timeout". */
  refusals?: Readonly<Record<string, KnownRefusal>>;
  /** Values that clients need: a URL, a fingerprint. Called once the endpoints are open. */
  publish?(lab: Lab): Record<string, string>;
}

/** An address at which a service can be reached at this moment. */
export interface Door {
  host: string;
  port: number;
  /** Everything that determines the endpoint behind it: "maintenance 3", "apid <boot id>". */
  key: string;
}

export type Endpoint = WebEndpoint | PlainEndpoint;

export interface WebEndpoint extends Serve {
  answer(request: IncomingMessage, response: ServerResponse): void;
}

/** An endpoint that does not speak HTTP. */
export interface PlainEndpoint {
  host: string;
  port: number;
  accept(socket: Socket): void;
}

export interface LabOptions {
  seed: string;
  /** How many times faster than the world's clock the lab's clock runs; "instant" shortens every wait below what a person notices. */
  timeScale: number | "instant";
  /** The services, in the order in which their initial states are created. */
  services: readonly Service[];
  /** The block to try first: "127.80.1". */
  address?: string;
  /** Opens doors only for clients with an address of the lab's own block: the machines are in a private network behind their hosts. */
  privateNodes?: boolean;
  /** Last numbers for addresses of other networks; each other address has its own last number. */
  places?: Readonly<Record<string, number>>;
  /** Services that answer for servers of the world outside, by host: "factory.example:8080". */
  names?: Readonly<Record<string, string>>;
  /** The address that machines see of clients outside of the lab; their own when absent. */
  client?: string;
}

/** A lab as its host uses it. */
export interface RunningLab extends Lab {
  readonly seed: string;
  /** The ports of 127.0.0.1 that stand for the lab's addresses, on a system that has no other loopback address. */
  readonly redirects: Readonly<Record<string, string>> | undefined;
  /** Opens every endpoint and starts the clock. */
  start(): Promise<void>;
  /** Closes everything the lab opened. Rejects when a transition has failed, so that the failure is noticed. */
  close(): Promise<void>;
  /** Runs due transitions. A started lab does so by itself, and before every turn. */
  settle(): void;
  /** The complete state as canonical JSON: time, transitions, faults, serials, states. Recorded calls are not included. */
  snapshot(): string;
  restore(snapshot: string): void;
  /** Replaces all rules; calls for `occurrence` rules are counted from now on. */
  setFaults(rules: readonly FaultRule[]): void;
  /** Adds rules after the existing ones, which keep their counts. */
  addFaults(rules: readonly FaultRule[]): void;
  faults(): readonly FaultRule[];
  faultCounts(): readonly FaultCount[];
  /** Replaces all outages; snapshots include them, as they include faults. */
  setOutages(outages: readonly Outage[]): void;
  outages(): readonly Outage[];
  /** Runs a strike of one of its services; an unknown name is an error that lists the available ones. */
  strike(name: string, args: readonly string[]): void;
  /** By name: the strikes of its services and of the lab itself. */
  strikes(): Record<string, Pick<Strike, "title" | "args">>;
  /** By service and name: every documented error, for faults "refuse". */
  refusals(): Record<string, Readonly<Record<string, KnownRefusal>>>;
  /** Number of transitions to come. */
  pending(): number;
  /** By service name. */
  published(): Record<string, Record<string, string>>;
}
