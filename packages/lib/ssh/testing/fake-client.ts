import { EventEmitter } from "node:events";
import type { Client } from "ssh2";

type Opened = (error?: Error, channel?: FakeChannel) => void;

/** Channel of a server, as ssh2 hands it out. */
export class FakeChannel extends EventEmitter {
  readonly stderr = new EventEmitter();
  /** The written parts, in order. */
  readonly sent: string[] = [];
  isEnded = false;
  isClosed = false;
  isDestroyed = false;
  /** Whether the other end still takes more. */
  takesMore = true;

  write(part: Uint8Array): boolean {
    this.sent.push(Buffer.from(part).toString());
    return this.takesMore;
  }

  end(text?: string): void {
    if (text !== undefined) this.sent.push(text);
    this.isEnded = true;
  }

  close(): void {
    this.isClosed = true;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit("close");
  }

  /** The command prints, and ends with this code. */
  prints(out: string, err: string, code: number | null): void {
    this.emit("data", Buffer.from(out));
    this.stderr.emit("data", Buffer.from(err));
    this.emit("exit", code);
    this.emit("close");
  }
}

/** A logged-in client that answers each command as `exec` says. */
export class FakeClient extends EventEmitter {
  /** How often it was declared dead. */
  dead = 0;
  readonly channel = new FakeChannel();
  readonly commands: string[] = [];
  readonly #exec: (opened: Opened) => void;

  constructor(exec: (opened: Opened, channel: FakeChannel) => void = (opened, channel) => opened(undefined, channel)) {
    super();
    this.#exec = (opened) => exec(opened, this.channel);
  }

  exec(command: string, opened: Opened): void {
    this.commands.push(command);
    this.#exec(opened);
  }

  readonly declareDead = () => void this.dead++;

  /** As the library's client. */
  get client(): Client {
    return this as unknown as Client;
  }
}

/** The error of a channel that the server refused to open. */
export const refusedChannel = (reason: unknown = 1) => Object.assign(new Error("open failed"), { reason });
