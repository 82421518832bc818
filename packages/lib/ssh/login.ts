import type { Socket } from "node:net";
import ssh2, { type ConnectConfig } from "ssh2";
import { messageOf } from "../errors.ts";
import type { World } from "../world/world.ts";
import { executed } from "./command.ts";
import { forwardFailed, forwardProhibited, refused, unreachable, untrusted } from "./errors.ts";
import { withWholeFirstLine } from "./first-line.ts";
import { forwarded } from "./forwarded.ts";
import { fingerprint, type Trusting, trusting, typeOf, type Verdict, withoutFamilyOf } from "./host-key.ts";
import { type Identity, identityFor } from "./identity.ts";
import type { Executed, Flow, SshTarget, Streamed } from "./ssh.ts";
import { streamed } from "./stream.ts";

/** One login, valid as long as its connection lives. */
export interface Login {
  /** "SHA256:…" */
  readonly hostKey: string;
  lost(): boolean;
  open(host: string, port: number): Promise<Socket>;
  execute(command: string, stdin: string): Promise<Executed>;
  stream(command: string, flow: Flow): Promise<Streamed>;
  end(): void;
}

const HANDSHAKE_MS = 15_000;
const KEEPALIVE_MS = 15_000;
const MOST_UNANSWERED = 3;

/**
 * Logs in to the right host or not at all: no user name is sent before the host key is verified. `shown`: the key of an earlier login of the same
 * connection.
 */
export async function login(world: World, target: SshTarget, signal: AbortSignal, shown?: string): Promise<Login> {
  const trust = trusting(world, target, shown);
  const identity = identityFor(world, target);
  if (identity.methods.length === 0) throw refused(target, identity.tried);
  let { algorithms } = trust;
  let wrong: Exclude<Verdict, { is: "trusted" }> | undefined;
  const seen: string[] = [];
  // A host with keys of several types shows one. When that is not the pinned one, another type may be.
  while (algorithms.length > 0) {
    const attempt = await connect(world, target, { ...trust, algorithms }, identity, signal);
    if ("login" in attempt) return attempt.login;
    if (attempt.verdict === undefined) break;
    wrong = attempt.verdict;
    seen.push(wrong.seen);
    if (wrong.is !== "another") break;
    algorithms = withoutFamilyOf(algorithms, attempt.type);
  }
  if (wrong) throw untrusted(target, wrong, seen);
  throw unreachable(target, "it has no host key of a supported type", undefined);
}

/** `verdict` is absent when the host has no key of the requested types. */
type Attempt = { login: Login } | { verdict: Exclude<Verdict, { is: "trusted" }> | undefined; type: string };

async function connect(
  world: World,
  target: SshTarget,
  trust: Trusting,
  { methods, tried }: Identity,
  signal: AbortSignal,
): Promise<Attempt> {
  const socket = await world.net.dial({ host: target.host, port: target.port }, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unreachable(target, messageOf(error), error);
  });
  const client = new ssh2.Client();
  return new Promise((resolve, reject) => {
    let hostKey = "";
    let denied: { verdict: Exclude<Verdict, { is: "trusted" }>; type: string } | undefined;
    const onAbort = () => client.destroy();
    const settle = (finish: () => void) => {
      signal.removeEventListener("abort", onAbort);
      finish();
    };
    const failed = (error: Error & { level?: string }) => {
      // The remaining keys are still to be tried.
      if (error.level === "agent") return;
      client.destroy();
      settle(() => {
        if (signal.aborted) reject(signal.reason);
        else if (denied) resolve(denied);
        else if (/no matching host key/i.test(error.message)) resolve({ verdict: undefined, type: "" });
        else
          reject(
            error.level === "client-authentication"
              ? refused(target, tried, error)
              : unreachable(target, messageOf(error), error),
          );
      });
    };
    client.on("error", failed);
    client.on("close", () => failed(new Error("the connection was closed")));
    client.on("ready", () => settle(() => resolve({ login: loggedIn(client, target, hostKey) })));
    signal.addEventListener("abort", onAbort, { once: true });
    client.connect({
      sock: withWholeFirstLine(socket),
      username: target.user,
      authHandler: methods as ConnectConfig["authHandler"] & object,
      algorithms: { serverHostKey: [...trust.algorithms] as never },
      hostVerifier: (blob: Buffer) => {
        const verdict = trust.judge(blob);
        hostKey = fingerprint(blob);
        if (verdict.is !== "trusted") denied = { verdict, type: typeOf(blob) };
        return verdict.is === "trusted";
      },
      readyTimeout: HANDSHAKE_MS,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: MOST_UNANSWERED,
    });
  });
}

function loggedIn(client: ssh2.Client, target: SshTarget, hostKey: string): Login {
  let lost = false;
  const dead = () => {
    // The close event follows later.
    lost = true;
  };
  // Every running command listens for the end of its connection: many listeners are not a leak.
  client.setMaxListeners(0);
  client.on("close", () => {
    lost = true;
  });
  return {
    hostKey,
    lost: () => lost,
    open: (host, port) => openChannel(client, target, host, port),
    execute: (command, stdin) => executed(client, target, command, stdin, dead),
    stream: (command, flow) => streamed(client, target, command, flow, dead),
    end: () => client.destroy(),
  };
}

function openChannel(client: ssh2.Client, target: SshTarget, host: string, port: number): Promise<Socket> {
  const to = `${host}:${port}`;
  return new Promise((resolve, reject) => {
    const failed = (error: OpenFailure) => reject(openFailed(target, to, error));
    try {
      client.forwardOut("127.0.0.1", 0, host, port, (error, channel) => {
        if (error) failed(error);
        else resolve(forwarded(channel));
      });
    } catch (error) {
      failed(error as Error);
    }
  });
}

/** RFC 4254, section 5.1; `reason` is absent when the connection itself is gone. */
type OpenFailure = Error & { reason?: number | string };

const PROHIBITED = 1;
const CONNECT_FAILED = 2;

function openFailed(target: SshTarget, to: string, error: OpenFailure) {
  const why = error.message.replace(/^\(SSH\) Channel open failure: ?/, "");
  if (error.reason === PROHIBITED) return forwardProhibited(target, to, why, error);
  if (error.reason !== CONNECT_FAILED)
    return forwardFailed(target, to, "ECONNRESET", why || "the host closed the connection", error);
  const code = /refused/i.test(why) ? "ECONNREFUSED" : "EHOSTUNREACH";
  return forwardFailed(target, to, code, why || "no answer", error);
}
