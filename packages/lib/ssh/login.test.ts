import { text } from "node:stream/consumers";
import { afterEach, expect, test, vi } from "vitest";
import { Secret } from "../secret.ts";
import { fingerprint } from "./host-key.ts";
import { type Login, login } from "./login.ts";
import type { SshTarget } from "./ssh.ts";
import { exits, MemoryHost, newKey } from "./testing/memory-host.ts";
import { socketPair } from "./testing/socket-pair.ts";
import { soon, turns } from "./testing/turns.ts";

const made: Login[] = [];
const never = new AbortController().signal;

async function loggedIn(host: MemoryHost, changes: Partial<SshTarget> = {}, shown?: string): Promise<Login> {
  const one = await login(host.world(), host.target(changes), never, shown);
  made.push(one);
  return one;
}

afterEach(() => {
  vi.useRealTimers();
  for (const one of made.splice(0)) one.end();
});

const ANOTHER = fingerprint(Buffer.from("another key"));

test("a login knows the fingerprint of the host's key, and is not lost", async () => {
  const host = new MemoryHost();
  const { hostKey, lost } = await loggedIn(host);
  expect([hostKey, lost()]).toEqual([host.fingerprint, false]);
});

test("without a key to log in with, the host is not dialled", async () => {
  const host = new MemoryHost();
  const { key: _, ...keyless } = host.target();
  await expect(login(host.world(), keyless, never)).rejects.toMatchObject({
    code: "SSH_AUTH",
    detail: "no SSH agent: SSH_AUTH_SOCK is not set",
  });
  expect(host.dialled).toEqual([]);
});

test("a host with another key than the pinned one is asked for its keys of other types, and not for a login", async () => {
  const host = new MemoryHost();
  const second = newKey("rsa");
  host.hostKeys.push(second.pem);
  await expect(loggedIn(host, { hostKey: ANOTHER })).rejects.toMatchObject({
    code: "SSH_HOST_KEY",
    detail: expect.stringContaining(
      `it shows ${host.fingerprint} (ecdsa-sha2-nistp256), ${fingerprint(second.blob)} (ssh-rsa)\n`,
    ),
  });
  expect([host.dialled.length, host.tried]).toEqual([3, []]);
});

test("a host whose second key is the pinned one is logged in to", async () => {
  const host = new MemoryHost();
  const second = newKey("rsa");
  host.hostKeys.push(second.pem);
  const { hostKey } = await loggedIn(host, { hostKey: fingerprint(second.blob) });
  expect(hostKey).toBe(fingerprint(second.blob));
});

test("an unknown host is dialled once, and not asked for a login", async () => {
  const host = new MemoryHost();
  const { hostKey: _, ...unpinned } = host.target();
  await expect(login(host.world(), unpinned, never)).rejects.toMatchObject({
    code: "SSH_HOST_UNKNOWN",
    detail: `it shows ${host.fingerprint}. Nothing was sent.`,
  });
  expect([host.dialled.length, host.tried]).toEqual([1, []]);
});

test("a host that is trusted at first use must show the key of the earlier login", async () => {
  const host = new MemoryHost();
  const { hostKey: _, ...unpinned } = host.target({ firstKey: true });
  const to = (shown?: string) => login(host.world(), unpinned, never, shown);
  made.push(await to(), await to(host.fingerprint));
  await expect(to(ANOTHER)).rejects.toMatchObject({ code: "SSH_HOST_KEY" });
});

test("a host without a key of a supported type is unreachable", async () => {
  const host = new MemoryHost([newKey("rsa").pem]);
  host.algorithms = { serverHostKey: ["ssh-rsa"] };
  await expect(loggedIn(host)).rejects.toMatchObject({
    code: "SSH_UNREACHABLE",
    message: "Unable to reach pve by SSH: it has no host key of a supported type",
  });
  expect(host.dialled.length).toBe(1);
});

test("a host that does not accept connections is unreachable, with the reason", async () => {
  const host = new MemoryHost();
  host.dial = () => Promise.reject(new Error("connect ECONNREFUSED"));
  await expect(loggedIn(host)).rejects.toMatchObject({
    code: "SSH_UNREACHABLE",
    message: "Unable to reach pve by SSH: connect ECONNREFUSED",
    transient: true,
  });
});

test("a dial that the caller aborted fails with the caller's reason", async () => {
  const host = new MemoryHost();
  host.dial = () => Promise.reject(new Error("aborted"));
  const aborted = AbortSignal.abort(new Error("enough"));
  await expect(login(host.world(), host.target(), aborted)).rejects.toThrow("enough");
});

test("a login that the caller aborts ends its connection, and fails with the caller's reason", async () => {
  const host = new MemoryHost();
  const [client] = socketPair();
  host.dial = async () => client;
  const stop = new AbortController();
  const attempt = login(host.world(), host.target(), stop.signal);
  await soon(() => host.dialled.length).toBe(1);
  stop.abort(new Error("enough"));
  await expect(attempt).rejects.toThrow("enough");
  expect(client.destroyed).toBe(true);
});

test("an abort after the login leaves its connection open", async () => {
  const host = new MemoryHost();
  const stop = new AbortController();
  const one = await login(host.world(), host.target(), stop.signal);
  made.push(one);
  stop.abort(new Error("enough"));
  expect(await one.execute("true", "")).toMatchObject({ code: 0 });
});

test("a host that hangs up before the login is unreachable", async () => {
  const host = new MemoryHost();
  host.dial = async () => {
    const [client, served] = socketPair();
    served.resume().end();
    return client;
  };
  await expect(loggedIn(host)).rejects.toMatchObject({ code: "SSH_UNREACHABLE", transient: true });
});

test("a connection that closes without an error before the login is unreachable", async () => {
  const host = new MemoryHost();
  host.dial = async () => {
    const [client] = socketPair();
    setImmediate(() => client.destroy());
    return client;
  };
  await expect(loggedIn(host)).rejects.toMatchObject({
    code: "SSH_UNREACHABLE",
    message: expect.stringMatching(/connection/i),
  });
});

test("a connection that closes while the login is asked for is unreachable", async () => {
  const host = new MemoryHost();
  host.onLogin = () => host.dialled[0]?.destroy();
  await expect(loggedIn(host)).rejects.toMatchObject({
    code: "SSH_UNREACHABLE",
    message: "Unable to reach pve by SSH: the connection was closed",
  });
});

test("a server of another protocol is unreachable, and its connection is closed", async () => {
  const host = new MemoryHost();
  const [client, served] = socketPair();
  host.dial = async () => client;
  served.write("SSH-1.0-old\r\n");
  await expect(loggedIn(host)).rejects.toMatchObject({ code: "SSH_UNREACHABLE" });
  expect(client.destroyed).toBe(true);
});

test("a key that the host does not know is refused, and its connection is closed", async () => {
  const host = new MemoryHost();
  await expect(loggedIn(host, { key: new Secret(newKey().pem) })).rejects.toMatchObject({
    code: "SSH_AUTH",
    detail: "the key in network.ssh.key was refused",
    cause: { level: "client-authentication" },
  });
  expect(host.tried).toContain("publickey");
  expect(host.dialled[0]?.destroyed).toBe(true);
});

test("an agent that does not answer does not keep the key files from being tried", async () => {
  const host = new MemoryHost();
  const { key: _, ...keyless } = host.target();
  const world = host.world({
    env: (name) => ({ HOME: "/root", SSH_AUTH_SOCK: "/run/agent" })[name],
    files: {
      ...host.world().files,
      read: (path) => (path.endsWith("id_ed25519") ? Buffer.from(host.keys.user.pem) : undefined),
    },
  });
  const net = { ...world.net, dialFile: () => Promise.reject(new Error("no agent runs")) };
  const one = await login({ ...world, net }, keyless, never);
  made.push(one);
  expect(one.lost()).toBe(false);
});

test("the user of the config logs in", async () => {
  const host = new MemoryHost();
  await loggedIn(host, { user: "admin" });
  expect(new Set(host.users)).toEqual(new Set(["admin"]));
});

test("a host that says nothing for 15 seconds is unreachable", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const host = new MemoryHost();
  host.dial = async () => socketPair()[0];
  let error: unknown;
  loggedIn(host).catch((thrown) => {
    error = thrown;
  });
  await turns();
  vi.advanceTimersByTime(14_999);
  await turns();
  expect(error).toBeUndefined();
  vi.advanceTimersByTime(1);
  await turns();
  expect(error).toMatchObject({ code: "SSH_UNREACHABLE", message: expect.stringContaining("Timed out") });
});

test("a login is lost when its host answers none of three questions, one every 15 seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const host = new MemoryHost();
  const one = await loggedIn(host);
  host.fallsSilent();
  for (let questions = 1; questions <= 3; questions++) {
    vi.advanceTimersByTime(15_000);
    await turns();
    expect(one.lost(), `after ${questions}`).toBe(false);
  }
  vi.advanceTimersByTime(15_000);
  await turns();
  expect(one.lost()).toBe(true);
});

test("a login is lost when its connection closes", async () => {
  const host = new MemoryHost();
  const one = await loggedIn(host);
  host.connections[0]?.end();
  await soon(() => one.lost()).toBe(true);
});

test("a login that is ended closes its connection", async () => {
  const host = new MemoryHost();
  const one = await loggedIn(host);
  one.end();
  await soon(() => host.dialled[0]?.destroyed).toBe(true);
  await soon(() => one.lost()).toBe(true);
});

test("a login is lost as soon as a command or a stream has no exit code, before its connection closes", async () => {
  for (const lose of [(one: Login) => one.execute("true", ""), (one: Login) => one.stream("true", {})]) {
    const host = new MemoryHost();
    host.run = (_, channel) => channel.close();
    const one = await loggedIn(host);
    await expect(lose(one)).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
    expect(one.lost()).toBe(true);
  }
});

test("a command gets its input, and a stream its source", async () => {
  const host = new MemoryHost();
  host.run = (command, channel) => {
    channel.on("data", (part: Buffer) => {
      channel.write(`${command}: ${part}`);
      channel.stderr.write("wrong");
      exits(channel, 3);
    });
  };
  const one = await loggedIn(host);
  expect(await one.execute("cat", "in")).toEqual({ code: 3, stdout: "cat: in", stderr: "wrong" });
  async function* source() {
    yield Buffer.from("flow");
  }
  let taken = "";
  const take = (part: Buffer) => {
    taken += part;
  };
  expect(await one.stream("tee", { source: source(), take })).toEqual({ code: 3, stderr: "wrong" });
  expect(taken).toBe("tee: flow");
});

test("many commands at once are no leak of listeners", async () => {
  const warnings: unknown[] = [];
  const onWarning = (warning: unknown) => warnings.push(warning);
  process.on("warning", onWarning);
  const host = new MemoryHost();
  const one = await loggedIn(host);
  await Promise.all(Array.from({ length: 20 }, () => one.execute("true", "")));
  await turns();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("a forward is asked for by its address, and carries bytes", async () => {
  const host = new MemoryHost();
  host.forward = ({ to, accept }) => void accept().end(`this is ${to}`);
  const one = await loggedIn(host);
  expect(await text(await one.open("10.0.0.1", 50000))).toBe("this is 10.0.0.1:50000");
});

test.each([
  [2, "Connection refused", "SSH_FORWARD", "ECONNREFUSED", "Connection refused"],
  [2, "No route to host", "SSH_FORWARD", "EHOSTUNREACH", "No route to host"],
  [2, "", "SSH_FORWARD", "EHOSTUNREACH", "no answer"],
  [4, "Out of memory", "SSH_FORWARD", "ECONNRESET", "Out of memory"],
  [3, "", "SSH_FORWARD", "ECONNRESET", "the host closed the connection"],
])("a forward that is refused with reason %i and '%s' fails like a dial", async (reason, why, code, dialCode, shown) => {
  const host = new MemoryHost();
  host.forward = ({ refuse }) => refuse(reason, why);
  const one = await loggedIn(host);
  await expect(one.open("10.0.0.1", 50000)).rejects.toMatchObject({
    code,
    message: `Unable to reach 10.0.0.1:50000 through pve: ${shown}`,
    cause: { code: dialCode },
  });
  expect(one.lost()).toBe(false);
});

test("a forward that the host prohibits is not tried again", async () => {
  const host = new MemoryHost();
  host.forward = ({ refuse }) => refuse(1, "administratively prohibited");
  const one = await loggedIn(host);
  await expect(one.open("10.0.0.1", 50000)).rejects.toMatchObject({
    code: "SSH_FORWARD_PROHIBITED",
    detail: "administratively prohibited",
    transient: false,
  });
});

test("a forward through a login that has ended fails at once, and may be repeated", async () => {
  const host = new MemoryHost();
  const one = await loggedIn(host);
  one.end();
  await expect(one.open("10.0.0.1", 50000)).rejects.toMatchObject({ code: "SSH_FORWARD", cause: { code: "ECONNRESET" } });
});
