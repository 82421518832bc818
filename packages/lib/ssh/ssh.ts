import type { Socket } from "node:net";
import { TalosmithError } from "../errors.ts";
import { Gate } from "../gate.ts";
import type { Secret } from "../secret.ts";
import { whileDialling } from "../world/net.ts";
import type { World } from "../world/world.ts";
import { forwardFailed } from "./errors.ts";
import type { Login } from "./login.ts";

export interface SshTarget {
  host: string;
  port: number;
  user: string;
  /** The private key; absent = the agent's keys, then the usual files. */
  key?: Secret;
  /** The agent's socket file; absent = $SSH_AUTH_SOCK. */
  agent?: string;
  /** "SHA256:…"; absent = what the person's known_hosts says. */
  hostKey?: string;
  /** Whatever key it shows at the first login is believed, and no other one after that. For hosts that make new keys at every start. */
  firstKey?: boolean;
  /** Where in the config all this stands, for hints; "network.ssh" when absent. */
  section?: string;
}

/** What a command on the host did. */
export interface Executed {
  code: number;
  stdout: string;
  stderr: string;
}

/** Somebody who is logged in, and connects to others from there. */
export interface SshConnection {
  /**
   * A connection from the host to an address as the host knows it. When nobody listens there, or not yet, it fails with the transient
   * SSH_FORWARD, whose cause has the code a direct dial would have had (ECONNREFUSED, EHOSTUNREACH).
   */
  forward(host: string, port: number, signal?: AbortSignal): Promise<Socket>;
  /**
   * Runs a command line in the shell of the one who is logged in. An exit code is an answer; when there is none, because the connection was
   * lost, it fails with the transient SSH_COMMAND_LOST: nobody knows what happened.
   */
  execute(command: string, options?: { stdin?: string; signal?: AbortSignal }): Promise<Executed>;
  /** The same for bytes in large amounts, in either direction; nothing of them is held here. When aborted, the command reads and writes no more. */
  stream(command: string, flow: Flow): Promise<Streamed>;
  /** "SHA256:…" of the key that the host showed at the last login. */
  hostKey(): string;
  close(): void;
}

export interface Flow {
  /** What it reads, as fast as it takes it; when this fails, the command is cut off, and so fails the whole. */
  source?: AsyncIterable<Uint8Array>;
  /** What it prints. */
  take?(part: Buffer): void;
  signal?: AbortSignal;
}

export interface Streamed {
  code: number;
  /** The last of it, when it is long. */
  stderr: string;
}

/** Servers allow many more; a client that opens so many has a leak. */
const MOST_FORWARDS = 256;
/** OpenSSH runs 10 commands at a time for one connection (MaxSessions in sshd_config), and refuses more. Forwards do not count. */
const MOST_COMMANDS = 8;
/** How often a command is refused while no other one of ours runs, before we give up. */
const MOST_REFUSALS = 6;
const FIRST_PAUSE_MS = 50;

/** Logs in. A connection that is lost later is made anew by the next forward or command, once for each. */
export async function connectSsh(world: World, target: SshTarget, signal?: AbortSignal): Promise<SshConnection> {
  const connection = new Reconnecting(world, target);
  try {
    await unlessAborted(connection.login(), signal);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

class Reconnecting implements SshConnection {
  readonly #world: World;
  readonly #target: SshTarget;
  readonly #forwards = new Gate(MOST_FORWARDS);
  readonly #commands = new Gate(MOST_COMMANDS);
  /** Each ends with its command, and fails when the server refuses it a session. */
  readonly #running = new Set<Promise<unknown>>();
  /** How many commands have ended. */
  #ended = 0;
  readonly #closing = new AbortController();
  #current: Promise<Login> | undefined;
  #usable: Login | undefined;
  #shown: string | undefined;

  constructor(world: World, target: SshTarget) {
    this.#world = world;
    this.#target = target;
  }

  /** Those who come while a login is under way share it. */
  login(): Promise<Login> {
    this.#closing.signal.throwIfAborted();
    if (this.#usable?.lost()) this.#forget();
    this.#current ??= this.#logIn();
    return this.#current;
  }

  async forward(host: string, port: number, signal?: AbortSignal): Promise<Socket> {
    const leave = await this.#forwards.enter(signal);
    try {
      // A login has limits of its own; only the way from the host on is like a dial.
      await unlessAborted(this.login(), signal);
      const socket = await whileDialling((either) => this.#open(host, port, either), signal);
      socket.once("close", leave);
      return socket;
    } catch (error) {
      leave();
      signal?.throwIfAborted();
      if (error instanceof TalosmithError || !(error instanceof Error)) throw error;
      throw forwardFailed(this.#target, `${host}:${port}`, "EHOSTUNREACH", error.message, error);
    }
  }

  async execute(command: string, { stdin = "", signal }: { stdin?: string; signal?: AbortSignal } = {}): Promise<Executed> {
    return this.#inSession((login) => login.execute(command, stdin), signal);
  }

  async stream(command: string, flow: Flow): Promise<Streamed> {
    return this.#inSession((login) => login.stream(command, flow), flow.signal);
  }

  /**
   * A command that the server refuses a session for was not started, so it is sent again: as soon as another one of ours has ended, or after a pause
   * when none was running.
   */
  async #inSession<T>(work: (login: Login) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const leave = await this.#commands.enter(signal);
    try {
      for (let refusals = 0; ; ) {
        const login = await unlessAborted(this.login(), signal);
        signal?.throwIfAborted();
        const before = this.#ended;
        try {
          return await unlessAborted(this.#counted(work(login)), signal);
        } catch (error) {
          if (!isRefused(error)) throw error;
          // One may have ended before we heard of the refusal.
          if (this.#ended > before || (await unlessAborted(this.#anotherEnded(), signal))) continue;
          if (++refusals === MOST_REFUSALS) throw error;
          await this.#world.clock.sleep(FIRST_PAUSE_MS * 2 ** refusals, signal);
        }
      }
    } finally {
      leave();
    }
  }

  #counted<T>(work: Promise<T>): Promise<T> {
    const count = () => {
      this.#ended++;
    };
    const ended = work.then(count, (error: unknown) => {
      if (isRefused(error)) throw error;
      count();
    });
    ended.catch(() => {});
    this.#running.add(ended);
    return work.finally(() => this.#running.delete(ended));
  }

  /** Waits for the first of the other commands to end; false when there is none, or the server refuses them all. */
  #anotherEnded(): Promise<boolean> {
    return Promise.any(this.#running).then(
      () => true,
      () => false,
    );
  }

  hostKey(): string {
    return this.#shown ?? "";
  }

  close(): void {
    this.#closing.abort(new Error("the SSH connection is closed"));
    this.#forget();
  }

  async #logIn(): Promise<Login> {
    try {
      const { login } = await import("./login.ts");
      const made = await login(this.#world, this.#target, this.#closing.signal, this.#shown);
      if (this.#closing.signal.aborted) made.end();
      this.#shown = made.hostKey;
      this.#usable = made;
      return made;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  async #open(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    const first = await this.login();
    try {
      return await abandoned(first.open(host, port), signal);
    } catch (error) {
      if (signal.aborted || !first.lost()) throw error;
    }
    return abandoned((await unlessAborted(this.login(), signal)).open(host, port), signal);
  }

  #forget(): void {
    this.#usable?.end();
    this.#usable = undefined;
    this.#current = undefined;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof TalosmithError && error.code === "SSH_SESSION_REFUSED";
}

/** A channel that opens after nobody wants it any more is closed again. */
function abandoned(opening: Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  opening.then(
    (socket) => signal.aborted && socket.destroy(),
    () => {},
  );
  return unlessAborted(opening, signal);
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) {
      // Nobody waits for it any more, and nobody is to be surprised by how it ends.
      work.catch(() => {});
      return onAbort();
    }
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
