import type { KeyObject } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Everything outside the program's own memory. Code that wants the time, chance, a key, a file or a socket gets a World;
 * nothing else in the project may reach for them, so a test can replace any of it.
 */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: Keys;
  readonly files: Files;
  readonly net: Net;
  readonly processes: Processes;
  env(name: string): string | undefined;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never jump; only differences mean something. */
  monotonic(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  bytes(count: number): Uint8Array;
}

export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

export interface Keys {
  ed25519(): Promise<KeyPair>;
  p256(): Promise<KeyPair>;
  rsa4096(): Promise<KeyPair>;
}

export interface FileStat {
  kind: "file" | "folder" | "other";
  size: number;
  mode: number;
  modifiedMs: number;
  /** The same for two paths that lead to the same thing, by links or mounts. */
  id?: string;
}

/**
 * Files in the small steps that durability is made of: what is written may be lost until `sync`, a new, renamed or removed
 * name until `syncFolder`. Use `writeDurably` unless there is a reason not to.
 */
export interface Files {
  /** undefined when there is no such file. */
  read(path: string): Uint8Array | undefined;
  /** In parts, for what is too large to hold; the file must be there. */
  stream(path: string): AsyncIterable<Uint8Array>;
  /** Makes a new file; fails when something has the name already, be it a link that leads nowhere. */
  create(path: string, data: Uint8Array, mode: number): void;
  /** 16 hex digits for a name that cannot be guessed. */
  nonce(): string;
  /** Makes the file when there is none; fails at a link. */
  append(path: string, data: Uint8Array, mode: number): void;
  sync(path: string): void;
  syncFolder(path: string): void;
  rename(from: string, to: string): void;
  /** Renames a folder; false when a file or a folder that is not empty has that name. The only test-and-set there is. */
  claim(from: string, to: string): boolean;
  /** Dates a file anew, by the clock of the file system; nothing happens when it is not there. */
  touch(path: string): void;
  /** A file or a whole folder; nothing there is fine. */
  remove(path: string): void;
  /** Names, sorted; undefined when there is no such folder. */
  list(path: string): string[] | undefined;
  makeFolder(path: string, mode: number): void;
  stat(path: string): FileStat | undefined;
  /** Where a symbolic link leads, as it is written in it; undefined for everything else. */
  linkTarget(path: string): string | undefined;
}

export type Trust =
  /** SHA-256 of the leaf certificate, "AA:BB:…". */
  | { by: "fingerprint"; fingerprint: string }
  /** SHA-256 of the leaf's public key (SubjectPublicKeyInfo) in base64, as Talos prints it on a console. */
  | { by: "key"; sha256: string }
  | { by: "ca"; pem: string }
  | { by: "system" }
  /** Only to look at a certificate: the caller shows it to a person, and sends nothing. */
  | { by: "nobody" };

export interface Dial {
  host: string;
  port: number;
  tls?: { trust: Trust; serverName?: string; certificate?: string; key?: string; alpn?: readonly string[] };
  /** A stream that leads there already, through a tunnel: nothing is dialled, TLS is spoken over it. */
  over?: Duplex;
  /** The address of this machine to come from; absent = as the system chooses. */
  localAddress?: string;
}

export interface Listener {
  host: string;
  port: number;
  close(): Promise<void>;
}

/** Where to listen and as whom. */
export interface Serve {
  host: string;
  port: number;
  tls?: {
    certificate: string;
    key: string;
    /**
     * Who may come: "asked" lets everybody in and leaves it to the answerer to look at the certificate (`socket.authorized`);
     * "required" ends the handshake of whoever has none that this CA signed.
     */
    clients?: { ca: string; certificate: "asked" | "required" };
    /** Another certificate than at first: asked for each connection. */
    current?: () => { certificate: string; key: string };
    /** What who speaks plain HTTP here is told; absent = nothing. */
    plain?: (request: IncomingMessage, response: ServerResponse) => void;
  };
  /** "h2" needs tls; its requests and responses are Node's compatible ones. "http/1.1" when absent. */
  protocol?: "http/1.1" | "h2";
  /** For requests with an `Upgrade:` header, which are answered, or take over their connection; absent = they are like any other. HTTP/1.1 only. */
  upgrade?: (request: IncomingMessage, response: ServerResponse, takeOver: () => Upgraded) => void;
  admits?: Admission;
}

/** A connection that speaks something else from now on. */
export interface Upgraded {
  socket: Duplex;
  /** What has arrived already. */
  head: Buffer;
}

/**
 * Whether somebody who comes from this address may connect at all; the connection of others is cut at once, or, "silent", never heard: as far
 * as that can be played where the system has connected already. Absent = everybody may.
 */
export type Admission = (remoteAddress: string) => boolean | "silent";

export interface Net {
  /** Resolves when connected and, with tls, when the peer has proved to be who it should be. */
  dial(to: Dial, signal?: AbortSignal): Promise<Socket>;
  /** A socket file of this machine, such as the one an SSH agent listens on. */
  dialFile(path: string, signal?: AbortSignal): Promise<Socket>;
  serve(at: Serve, answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listener>;
  /** One HTTP/1.1 connection on a stream that is there already: nothing listens for it. */
  serveOn(stream: Duplex, answer: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Plain connections, for what is not HTTP. */
  listen(at: { host: string; port: number; admits?: Admission }, accept: (socket: Socket) => void): Promise<Listener>;
}

/** Which process in which pid namespace on which boot of which machine: enough to know whether it still lives, where that can be known. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
  /** Of the kernel; "" where there is no /proc. */
  bootId: string;
  /** "pid:[4026531836]"; "" where there is no /proc. */
  pidNamespace: string;
  /** Stays the same when the machine is started anew; "" where it is not known, or not to be trusted. */
  machineId: string;
  host: string;
}

/** "unknown": on another machine or in another pid namespace, where neither can be proven from here. */
export type ProcessState = "alive" | "dead" | "unknown";

export interface Processes {
  self(): ProcessIdentity;
  state(of: ProcessIdentity): ProcessState;
  /** Starts this program once more, in the background and with other arguments; what it prints goes to the file. */
  spawnSelf(args: readonly string[], logFile: string): ProcessIdentity;
  /** Nothing happens when that very process is gone. */
  end(of: ProcessIdentity, how: "ask" | "kill"): void;
}
