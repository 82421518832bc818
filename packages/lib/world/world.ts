import type { KeyObject } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/**
 * Everything outside the program's own memory. Code that needs time, randomness, a key, a file or a socket gets a World; nothing else in the
 * project may use them directly, so a test can replace each of them.
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
  /** Milliseconds that never jump; only differences are meaningful. */
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
  /** Equal for two paths that lead to the same file or folder, by links or mounts. */
  id?: string;
}

/**
 * Files in the small operations that durability is made of: written data may be lost until `sync`; a new, renamed or removed name until
 * `syncFolder`. Use `writeDurably` unless there is a reason not to.
 */
export interface Files {
  /** undefined when there is no such file. */
  read(path: string): Uint8Array | undefined;
  /** Yields the content in parts, for files too large for memory; fails when the file does not exist. */
  stream(path: string): AsyncIterable<Uint8Array>;
  /** Creates a file; fails when the name exists, even as a dangling link. */
  create(path: string, data: Uint8Array, mode: number): void;
  /** 16 hex digits for a name that cannot be guessed. */
  nonce(): string;
  /** Creates the file when it does not exist; fails at a link. */
  append(path: string, data: Uint8Array, mode: number): void;
  sync(path: string): void;
  syncFolder(path: string): void;
  rename(from: string, to: string): void;
  /** Renames a folder; false when a file or a non-empty folder has that name. The only test-and-set operation. */
  claim(from: string, to: string): boolean;
  /** Updates a file's time by the clock of the file system; does nothing when the file does not exist. */
  touch(path: string): void;
  /** Removes a file or a whole folder; does nothing when it does not exist. */
  remove(path: string): void;
  /** Sorted names; undefined when there is no such folder. */
  list(path: string): string[] | undefined;
  makeFolder(path: string, mode: number): void;
  stat(path: string): FileStat | undefined;
  /** The target of a symbolic link as written in it; undefined for everything else. */
  linkTarget(path: string): string | undefined;
}

export type Trust =
  /** SHA-256 of the leaf certificate, "AA:BB:…". */
  | { by: "fingerprint"; fingerprint: string }
  /** SHA-256 of the leaf's public key (SubjectPublicKeyInfo) in base64, as Talos prints it on a console. */
  | { by: "key"; sha256: string }
  | { by: "ca"; pem: string }
  | { by: "system" }
  /** Only to show the certificate to the user: nothing is sent. */
  | { by: "nobody" };

export interface Dial {
  host: string;
  port: number;
  tls?: { trust: Trust; serverName?: string; certificate?: string; key?: string; alpn?: readonly string[] };
  /** A stream that already leads there, through a tunnel: nothing is dialled, TLS is spoken over it. */
  over?: Duplex;
  /** The local address to connect from; absent = the system's choice. */
  localAddress?: string;
}

export interface Listener {
  host: string;
  port: number;
  close(): Promise<void>;
}

/** The address to listen on, and the server's identity. */
export interface Serve {
  host: string;
  port: number;
  tls?: {
    certificate: string;
    key: string;
    /**
     * Client certificates: "asked" admits everyone and leaves it to the handler to check the certificate (`socket.authorized`); "required" ends the
     * handshake of a client without a certificate from this CA.
     */
    clients?: { ca: string; certificate: "asked" | "required" };
    /** The certificate for each new connection, when it can change. */
    current?: () => { certificate: string; key: string };
    /** Answers plain HTTP requests on this port; absent = no answer. */
    plain?: (request: IncomingMessage, response: ServerResponse) => void;
  };
  /** "h2" needs tls; its requests and responses are Node's compatible ones. "http/1.1" when absent. */
  protocol?: "http/1.1" | "h2";
  /**
   * Handles requests with an `Upgrade:` header, which are answered or take over their connection; absent = they are ordinary requests. HTTP/1.1
   * only.
   */
  upgrade?: (request: IncomingMessage, response: ServerResponse, takeOver: () => Upgraded) => void;
  admits?: Admission;
}

/** A connection that speaks another protocol from now on. */
export interface Upgraded {
  socket: Duplex;
  /** Data that has already arrived. */
  head: Buffer;
}

/**
 * Whether a client with this address may connect; a rejected connection is cut at once or, with "silent", kept without any response, as far as that
 * can be imitated after the system has accepted it. Absent = everyone may.
 */
export type Admission = (remoteAddress: string) => boolean | "silent";

export interface Net {
  /** Where a connection to this address is redirected; absent when nothing is. */
  leads?(host: string, port: number): { host: string; port: number };
  /** Resolves when connected and, with tls, when the peer has proved its identity. */
  dial(to: Dial, signal?: AbortSignal): Promise<Socket>;
  /** The fingerprint of an SSH server's key, where connections are redirected to another server than the client means; it replaces the expected one. */
  hostKey?(host: string, port: number): string | undefined;
  /** Dials a socket file of this machine, such as an SSH agent's. */
  dialFile(path: string, signal?: AbortSignal): Promise<Socket>;
  serve(at: Serve, answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listener>;
  /** Serves one HTTP/1.1 connection on an existing stream, without a listener. */
  serveOn(stream: Duplex, answer: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Listens for plain connections that are not HTTP. */
  listen(at: { host: string; port: number; admits?: Admission }, accept: (socket: Socket) => void): Promise<Listener>;
}

/** Identifies a process by pid namespace, boot and machine: enough to know whether it is still alive, where that can be known. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
  /** Boot id of the kernel; "" where there is no /proc. */
  bootId: string;
  /** "pid:[4026531836]"; "" where there is no /proc. */
  pidNamespace: string;
  /** Stays the same across reboots; "" where it is unknown or unreliable. */
  machineId: string;
  host: string;
}

/** "unknown": on another machine or in another pid namespace, where neither can be proven from here. */
export type ProcessState = "alive" | "dead" | "unknown";

export interface Processes {
  self(): ProcessIdentity;
  state(of: ProcessIdentity): ProcessState;
  /** Starts this program again in the background with other arguments; its output goes to the file. */
  spawnSelf(args: readonly string[], logFile: string): ProcessIdentity;
  /** Ends that process; does nothing when it is gone. */
  end(of: ProcessIdentity, how: "ask" | "kill"): void;
}
