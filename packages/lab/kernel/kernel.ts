import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Json } from "@talosmith/lib/json.ts";
import type { Serve, World } from "@talosmith/lib/world/world.ts";

/**
 * What the lab is made of. All state is plain data, pending transitions included, so that `snapshot()` holds the whole
 * datacenter and `restore()` brings it back; nothing lives in a closure or a timer.
 */
export interface Lab {
  readonly world: World;
  readonly timeScale: number;
  /** Virtual milliseconds since the epoch: the lab's own time, which runs `timeScale` times as fast as the world's. */
  now(): number;
  /** The time of day at one of the lab's own times: what people are shown, whose clocks do not run as the lab's does (ADR 0018). */
  timeOfDay(at: number): number;
  /** A service's state: plain data it alone reads and writes, in place. Ask each time: `restore()` puts another in its place. */
  state<S>(service: string): S;
  /**
   * Something that happens later: run by the handler registered under `kind`, in order of (time, order of scheduling), each
   * at exactly its time. An unknown kind is refused.
   */
  schedule(kind: string, afterMs: number, data: Json): void;
  /** Whether a service of this lab registered a handler under `kind`. */
  handles(kind: string): boolean;
  /**
   * Does something at one instant: everything due has happened before, and `now()` stands still until `work`, which is
   * synchronous, returns. Every reading or writing of state from outside a transition happens in a turn.
   */
  turn<T>(work: () => T): T;
  /** Waits this much virtual time; rejects when aborted, or when the lab closes. */
  sleep(virtualMs: number, signal?: AbortSignal): Promise<void>;
  /** Aborted when the lab closes: for anything that must not outlive it. */
  readonly closing: AbortSignal;
  /** 0 ≤ x < 1, the same for the same seed and the same `of`, whatever else goes on. */
  chance(...of: (string | number)[]): number;
  /** An identifier never given out before in this lab's life; survives snapshots. */
  serial(name: string): number;
  /** Is something broken on purpose for this call? Counts the call as an occurrence. Called once for each call. */
  fault(call: Call): Fault | undefined;
  readonly recorder: Recorder;
  readonly address: AddressBlock;
  /** The other services of this lab, for what is joined in life (Proxmox boots machines, downloads from the factory). */
  service<T>(name: string): T;
}

/** 127.x.y.0/24, leased for the life of the lab. */
export interface AddressBlock {
  prefix: string;
  cidr: string;
  host(last: number): string;
}

/** A call as the lab saw it. `site` has the resource taken out: "POST /nodes/:node/qemu". */
export interface Call {
  service: string;
  site: string;
  /** What it is about, from the path and the natural key in the body: "vm 104", "pve1:local talos.qcow2". */
  resource: string;
  mutating: boolean;
  /** What a host was asked to run, to the letter: whoever may list its processes sees it. */
  command?: string;
  /** It comes from something that runs in the lab, such as a pod, and from nobody outside. */
  inside?: true;
}

export type Fault =
  /** Answered late, by this much virtual time. */
  | { kind: "delay"; ms: number }
  /** Refused before anything happens. */
  | { kind: "refuse"; status: number; message: string }
  /** The connection is cut before anything happens. */
  | { kind: "cut-before" }
  /** It happens; the answer is lost. */
  | { kind: "cut-after" }
  /** It happens; the answer comes in pieces of so many bytes (after a thousand of them they grow, so that what is large ends some day). */
  | { kind: "drip"; bytes: number }
  /** The call is accepted; the work it started ends with this error. */
  | { kind: "task-error"; message: string };

/** `*` stands for any text in service, site and resource; an absent one matches everything. */
export interface FaultRule {
  service?: string;
  site?: string;
  resource?: string;
  command?: string;
  /** Which matching call since the rules were set, from 1; absent = by probability. */
  occurrence?: number;
  /** Of each matching call; absent = every one. Those of several rules add up, so that each keeps its share. */
  probability?: number;
  /** After so many times it fires no more. */
  times?: number;
  fault: Fault;
}

/** A rule and what came of it. */
export interface FaultCount {
  rule: FaultRule;
  /** Calls it was meant for. */
  matched: number;
  /** Calls that met its fault. */
  fired: number;
}

/** An error that a product is known to answer with: what a fault "refuse" may say. */
export interface KnownRefusal {
  /** An HTTP status; a gRPC code (talos); what a command ends with (ssh, rescue). */
  status: number;
  /** Literally. */
  message: string;
  /** For people: what it comes from. */
  when: string;
}

/** A place that cannot be reached, until it can again: connections that are there are cut, new ones are turned away or, "silent", never heard. */
export interface Outage {
  /** `*` stands for any text. Absent = of every service. */
  service?: string;
  /** The last part of an address of the lab's own block, or a whole address of another network; absent = all places of the service. */
  host?: number | string;
  how: "refused" | "silent";
}

/** Something bad that happens once, and is a matter of one product: a host loses power, a disk fills up. */
export interface Strike {
  /** One line for people: "a Proxmox host loses power; what held locks is gone, the locks are not". */
  title: string;
  /** What it is given, in order, for people: ["host"]. All are needed unless the name ends with "?". */
  args: readonly string[];
  /** In a turn. Throws a userError for what makes no sense ("there is no host pve9"). */
  run(lab: Lab, args: readonly string[]): void;
}

export interface Recorded extends Call {
  n: number;
  at: number;
  /** HTTP status or the like; absent while the call is under way or when it was cut. */
  status?: number;
  fault?: Fault["kind"];
}

export interface Recorder {
  calls(): readonly Recorded[];
  /** The caller completes what it gets with `status` and `fault`. */
  begin(call: Call): Recorded;
  clear(): void;
}

export type TransitionHandler = (lab: Lab, data: Json) => void;

/** One simulated product of the outside world. */
export interface Service {
  name: string;
  /** The state at the beginning of the lab's life. */
  initial(lab: Lab): object;
  transitions?: Record<string, TransitionHandler>;
  /** Where it listens and how it answers. Answers read and write state synchronously, so that a snapshot never sees half a call. */
  endpoints(lab: Lab): Promise<Endpoint[]>;
  /**
   * Doors that come and go with the state: asked after every turn, so it must be quick; the
   * same list as before means that nothing has changed, so one that is kept is never written to. A door that is new is opened, one that is gone is
   * closed with all its connections, one whose `key` is another is closed and opened anew. Nobody waits for it: a door takes a moment.
   */
  doors?(lab: Lab): readonly Door[];
  /** What is behind a door: called each time one is opened, and may make certificates, but changes no state. */
  behind?(lab: Lab, door: Door): Endpoint;
  /**
   * Whether a new connection to a door, of whatever service, is let through: "silent" drops it, as a firewall does. Asked for each connection
   * of all services; those that are there already stay.
   */
  admits?(lab: Lab, to: Pick<Door, "host" | "port">, remoteAddress: string): boolean | "silent";
  /** What can befall it, by a name that no other service uses: "power-loss". */
  strikes?: Record<string, Strike>;
  /** The errors that its references document, by short names: "lock-timeout". */
  refusals?: Readonly<Record<string, KnownRefusal>>;
  /** What somebody outside must know to use it: a URL, a fingerprint. Asked once the endpoints are open. */
  publish?(lab: Lab): Record<string, string>;
}

/** A place where a service can be reached at this moment. */
export interface Door {
  host: string;
  port: number;
  /** Everything that decides what is behind it: "maintenance 3", "apid <boot id>". */
  key: string;
}

export type Endpoint = WebEndpoint | PlainEndpoint;

export interface WebEndpoint extends Serve {
  answer(request: IncomingMessage, response: ServerResponse): void;
}

/** For what is not HTTP. */
export interface PlainEndpoint {
  host: string;
  port: number;
  accept(socket: Socket): void;
}

export interface LabOptions {
  seed: string;
  /** How many times faster than the world's clock the lab's runs; "instant" waits for nothing a person would notice. */
  timeScale: number | "instant";
  /** In the order in which their first states are made. */
  services: readonly Service[];
  /** The block to try first: "127.80.1". */
  address?: string;
  /** Doors open only to those who come from an address of the lab's own block: the machines are behind their hosts, as in a private network. */
  privateNodes?: boolean;
}

/** A lab as its host sees it. */
export interface RunningLab extends Lab {
  readonly seed: string;
  /** Opens every endpoint and lets time act. */
  start(): Promise<void>;
  /** Ends everything the lab opened. Rejects when a transition had failed, so that nobody overlooks it. */
  close(): Promise<void>;
  /** Runs what is due. Happens by itself in a started lab and before every turn. */
  settle(): void;
  /** Everything, as canonical JSON: time, transitions, faults, serials, states. What was recorded is not part of it. */
  snapshot(): string;
  restore(snapshot: string): void;
  /** Replaces all rules; occurrences of `occurrence` rules count from here. */
  setFaults(rules: readonly FaultRule[]): void;
  /** More rules, behind those that there are, which go on counting. */
  addFaults(rules: readonly FaultRule[]): void;
  faults(): readonly FaultRule[];
  faultCounts(): readonly FaultCount[];
  /** Replaces all outages; part of the snapshot, as faults are. */
  setOutages(outages: readonly Outage[]): void;
  outages(): readonly Outage[];
  /** Lets one of its services' strikes happen, and says which there are when there is none of that name. */
  strike(name: string, args: readonly string[]): void;
  /** By name: those of its services, and the lab's own. */
  strikes(): Record<string, Pick<Strike, "title" | "args">>;
  /** By service and name: every documented error, for faults "refuse". */
  refusals(): Record<string, Readonly<Record<string, KnownRefusal>>>;
  /** How many transitions are still to come. */
  pending(): number;
  /** By service name. */
  published(): Record<string, Record<string, string>>;
}
