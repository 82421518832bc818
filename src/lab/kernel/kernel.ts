import type { IncomingMessage, ServerResponse } from "node:http";
import type { Json } from "../../lib/json.ts";
import type { World } from "../../lib/world/world.ts";

/**
 * What the lab is made of. All state is plain data, pending transitions included, so that `snapshot()` holds the whole
 * datacenter and `restore()` brings it back; nothing lives in a closure or a timer.
 */
export interface Lab {
  readonly world: World;
  /** Virtual milliseconds since the epoch: the lab's own time, which runs `timeScale` times as fast as the world's. */
  now(): number;
  /** A service's state: plain data it alone reads and writes, in place. */
  state<S>(service: string): S;
  /** Something that happens later: run by the handler registered under `kind`, in order of (time, order of scheduling). */
  schedule(kind: string, afterMs: number, data: Json): void;
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
  /** The call is accepted; the work it started ends with this error. */
  | { kind: "task-error"; message: string };

export interface FaultRule {
  service?: string;
  site?: string;
  resource?: string;
  /** Which occurrence of the matching call, from 1; absent = by probability. */
  occurrence?: number;
  probability?: number;
  fault: Fault;
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
}

export interface Endpoint {
  host: string;
  port: number;
  tls?: { certificate: string; key: string };
  answer(request: IncomingMessage, response: ServerResponse): void;
}
