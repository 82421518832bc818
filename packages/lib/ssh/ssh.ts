import type { Socket } from "node:net";
import { messageOf, TalosmithError } from "../errors.ts";
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
  /** The private key; absent = the agent's keys, then the default key files. */
  key?: Secret;
  /** The agent's socket file; absent = $SSH_AUTH_SOCK. */
  agent?: string;
  /** "SHA256:…"; absent = the keys in the user's known_hosts. */
  hostKey?: string;
  /** Trusts the key of the first login and no other key after that. For hosts that create new keys at every start. */
  firstKey?: boolean;
  /** The section of the config with these settings, for hints; "network.ssh" when absent. */
  section?: string;
}

/** The result of a command on the host. */
export interface Executed {
  code: number;
  stdout: string;
  stderr: string;
}

/** A login on a host, from which other addresses are reached. */
export interface SshConnection {
  /**
   * Connects from the host to an address. When the address refuses the connection or does not answer, it fails with the transient SSH_FORWARD,
   * whose cause has the code of a direct dial (ECONNREFUSED, EHOSTUNREACH).
   */
  forward(host: string, port: number, signal?: AbortSignal): Promise<Socket>;
  /**
   * Runs a command line in the shell of the login user. Any exit code is a result; when the connection is lost before there is one, it fails with
   * the transient SSH_COMMAND_LOST: it is unknown whether the command took effect.
   */
  execute(command: string, options?: { stdin?: string; signal?: AbortSignal }): Promise<Executed>;
  /**
   * Runs a command with large input or output; nothing is buffered here. When aborted, the command gets no more input and its output is dropped.
   */
  stream(command: string, flow: Flow): Promise<Streamed>;
  /** Fingerprint of the host key of the last login, "SHA256:…". */
  hostKey(): string;
  close(): void;
}

export interface Flow {
  /** The command's input, sent as fast as the command reads it; when the source fails, the command is stopped and the call fails. */
  source?: AsyncIterable<Uint8Array>;
  /** Receives the command's output. */
  take?(part: Buffer): void;
  signal?: AbortSignal;
}

export interface Streamed {
  code: number;
  /** Only the end of a long output. */
  stderr: string;
}

/** Servers allow many more; a client that opens this many has a leak. */
const MOST_FORWARDS = 256;
/** OpenSSH allows 10 concurrent sessions per connection (MaxSessions in sshd_config) and refuses more. Forwards do not count. */
const MOST_COMMANDS = 8;
/** How often a command may be refused while no other command of this connection runs. */
const MOST_REFUSALS = 6;
const FIRST_PAUSE_MS = 100;

/** Logs in. When the connection is lost later, the next forward or command logs in again, once for each. */
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
  /** Each promise settles with its command, and rejects when the server refuses it a session. */
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

  /** Concurrent callers share one login. */
  login(): Promise<Login> {
    this.#closing.signal.throwIfAborted();
    if (this.#usable?.lost()) this.#forget();
    this.#current ??= this.#logIn();
    return this.#current;
  }

  async forward(host: string, port: number, signal?: AbortSignal): Promise<Socket> {
    const leave = await this.#forwards.enter(signal);
    try {
      // A login has its own time limits; only the connection from the host onwards is limited like a dial.
      await unlessAborted(this.login(), signal);
      const socket = await whileDialling((either) => this.#open(host, port, either), signal);
      socket.once("close", leave);
      return socket;
    } catch (error) {
      leave();
      signal?.throwIfAborted();
      if (error instanceof TalosmithError) throw error;
      throw forwardFailed(this.#target, `${host}:${port}`, "EHOSTUNREACH", messageOf(error), error);
    }
  }

  async execute(command: string, { stdin = "", signal }: { stdin?: string; signal?: AbortSignal } = {}): Promise<Executed> {
    return this.#inSession((login) => login.execute(command, stdin), signal);
  }

  async stream(command: string, flow: Flow): Promise<Streamed> {
    return this.#inSession((login) => login.stream(command, flow), flow.signal);
  }

  /**
   * Repeats a command that the server refused a session for, because it was not started: as soon as another command of this connection has ended,
   * or after a pause when none is running.
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
          // A command may have ended before the refusal arrived.
          if (this.#ended > before || (await unlessAborted(this.#anotherEnded(), signal))) continue;
          if (++refusals === MOST_REFUSALS) throw error;
          await this.#world.clock.sleep(FIRST_PAUSE_MS * 2 ** (refusals - 1), signal);
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

  /** Waits for the first of the other commands to end; false when no other one is running, or the server refuses them all. */
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
      if (!first.lost()) throw error;
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

/** Closes a channel that opens after its caller has aborted. */
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
      // The caller has already aborted: a later rejection must not count as unhandled.
      work.catch(() => {});
      return onAbort();
    }
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
