import { generateKeyPairSync } from "node:crypto";
import type { Duplex } from "node:stream";
import ssh2, { type AuthContext, type Connection, type ServerChannel, type ServerConfig } from "ssh2";
import { testWorld } from "../../../../test/support/test-world.ts";
import { Secret } from "../../secret.ts";
import type { World } from "../../world/world.ts";
import { fingerprint } from "../host-key.ts";
import type { SshTarget } from "../ssh.ts";
import { socketPair } from "./socket-pair.ts";

interface HostOrUserKey {
  pem: string;
  /** The public key in wire format. */
  blob: Buffer;
}

/** A new key: "ec" gives ecdsa-sha2-nistp256, "rsa" ssh-rsa. */
export function newKey(type: "ec" | "rsa" = "ec"): HostOrUserKey {
  const pem =
    type === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" }).toString()
      : generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const parsed = ssh2.utils.parseKey(pem);
  if (parsed instanceof Error) throw parsed;
  return { pem, blob: parsed.getPublicSSH() };
}

/** A request to open a channel to an address. */
export interface ForwardRequest {
  to: string;
  accept(): ServerChannel;
  /** RFC 4254, section 5.1. */
  refuse(reason: number, why: string): void;
  /** Ends the connection that asks. */
  cut(): void;
}

/** An SSH server in memory, whose network and commands are what a test makes of them. */
export class MemoryHost {
  readonly keys = { host: newKey(), user: newKey() };
  /** The login attempts in order: "publickey" asks whether a key is known, "signature" logs in with it. */
  readonly tried: string[] = [];
  readonly users: string[] = [];
  readonly connections: Connection[] = [];
  /** The client's sockets, one for each dial. */
  readonly dialled: Duplex[] = [];
  readonly #served: Duplex[] = [];
  /** The pauses that were made, in milliseconds. */
  readonly pauses: number[] = [];
  /** The number of sessions that were asked for. */
  sessions = 0;
  /** Whether the n-th session may be opened. */
  opens: (session: number) => boolean = () => true;
  run: (command: string, channel: ServerChannel) => void = (_, channel) => exits(channel, 0);
  forward: (asked: ForwardRequest) => void = ({ accept }) => void accept();
  /** Called when a login is asked for. */
  onLogin: () => void = () => {};
  dial: () => Promise<Duplex> = async () => this.accept();

  algorithms: ServerConfig["algorithms"];

  constructor(readonly hostKeys: string[] = []) {
    if (hostKeys.length === 0) hostKeys.push(this.keys.host.pem);
  }

  /** The host key in words. */
  get fingerprint(): string {
    return fingerprint(this.keys.host.blob);
  }

  target(changes: Partial<SshTarget> = {}): SshTarget {
    const key = new Secret(this.keys.user.pem);
    return { host: "pve", port: 22, user: "root", key, hostKey: this.fingerprint, ...changes };
  }

  /** A world whose network leads to this host, and whose clock does not wait. */
  world(own: Partial<World> = {}): World {
    const world = testWorld();
    return {
      ...world,
      net: {
        ...world.net,
        dial: async () => {
          const socket = await this.dial();
          this.dialled.push(socket);
          return socket as never;
        },
      },
      clock: { ...world.clock, sleep: async (ms) => void this.pauses.push(ms) },
      ...own,
    };
  }

  /** A new connection to the host: the client's end. */
  accept(): Duplex {
    const [client, served] = socketPair();
    const { hostKeys, algorithms } = this;
    // The host asks once a day, so that only the client notices a dead connection.
    const settings = { hostKeys, keepaliveInterval: 86_400_000, ...(algorithms && { algorithms }) };
    const server = new ssh2.Server(settings, (connection) => this.#serve(connection));
    server.injectSocket(served as never);
    this.#served.push(served);
    return client;
  }

  /** The host says nothing from now on, and its connections stay open. */
  fallsSilent(): void {
    for (const socket of this.#served) socket.removeAllListeners("data").resume();
  }

  #serve(connection: Connection): void {
    this.connections.push(connection);
    connection.on("error", () => {});
    connection.on("authentication", (asked) => this.#authenticate(asked));
    connection.on("session", (accept, reject) => {
      if (!this.opens(++this.sessions)) return refuse(connection, reject, 1, "open failed");
      accept().on("exec", (acceptExec, _, { command }) => this.run(command, acceptExec()));
    });
    connection.on("tcpip", (accept, reject, { destIP, destPort }) =>
      this.forward({
        to: `${destIP}:${destPort}`,
        accept,
        refuse: (reason, why) => refuse(connection, reject, reason, why),
        cut: () => connection.end(),
      }),
    );
  }

  #authenticate(asked: AuthContext): void {
    this.onLogin();
    this.users.push(asked.username);
    this.tried.push(asked.method === "publickey" && asked.signature ? "signature" : asked.method);
    if (asked.method === "publickey" && asked.key.data.equals(this.keys.user.blob)) asked.accept();
    else asked.reject(["publickey"]);
  }
}

/** Ends a command with this exit code. */
export function exits(channel: ServerChannel, code: number): void {
  channel.exit(code);
  channel.end();
}

/** The library's own `reject` sends neither a reason nor a text. */
function refuse(connection: Connection, reject: () => void, reason: number, why: string): void {
  const { _protocol: protocol } = connection as unknown as { _protocol: Failing };
  const fail = protocol.channelOpenFail;
  protocol.channelOpenFail = (channel) => fail.call(protocol, channel, reason, why);
  try {
    reject();
  } finally {
    protocol.channelOpenFail = fail;
  }
}

interface Failing {
  channelOpenFail(this: Failing, channel: number, reason?: number, why?: string): void;
}
