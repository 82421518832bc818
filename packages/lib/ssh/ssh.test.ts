import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { ServerChannel } from "ssh2";
import { afterEach, expect, test, vi } from "vitest";
import type { World } from "../world/world.ts";
import { connectSsh, type SshConnection, type SshTarget } from "./ssh.ts";
import { exits, MemoryHost, newKey } from "./testing/memory-host.ts";
import { soon, turns } from "./testing/turns.ts";

const made: SshConnection[] = [];

async function connected(host: MemoryHost, changes: Partial<SshTarget> = {}, world: Partial<World> = {}): Promise<SshConnection> {
  const connection = await connectSsh(host.world(world), host.target(changes));
  made.push(connection);
  return connection;
}

afterEach(() => {
  vi.restoreAllMocks();
  for (const connection of made.splice(0)) connection.close();
});

/** Commands of this host run until the test ends them. */
function holding(host: MemoryHost): ServerChannel[] {
  const running: ServerChannel[] = [];
  host.run = (_, channel) => void running.push(channel);
  return running;
}

const end = (channel: ServerChannel | undefined) => channel && exits(channel, 0);

test("everything goes through one login", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  await Promise.all([connection.execute("true"), connection.stream("true", {}), connection.forward("10.0.0.1", 1)]);
  expect([host.dialled.length, connection.hostKey()]).toEqual([1, host.fingerprint]);
});

test("a login that fails is the error of the connection", async () => {
  const host = new MemoryHost();
  host.dial = () => Promise.reject(new Error("connect ECONNREFUSED"));
  await expect(connected(host)).rejects.toMatchObject({ code: "SSH_UNREACHABLE" });
});

test("a connection that the caller aborts fails at once, and its login is ended when it is made later", async () => {
  const host = new MemoryHost();
  const stop = new AbortController();
  let answer = () => {};
  host.dial = () =>
    new Promise((done) => {
      answer = () => done(host.accept());
    });
  const connecting = connectSsh(host.world(), host.target(), stop.signal);
  await turns();
  stop.abort(new Error("enough"));
  await expect(connecting).rejects.toThrow("enough");
  answer();
  await soon(() => host.dialled[0]?.destroyed).toBe(true);
});

test("with an aborted signal there is no connection, and what its login comes to is of no interest", async () => {
  const host = new MemoryHost();
  const aborted = AbortSignal.abort(new Error("enough"));
  await expect(connectSsh(host.world(), host.target(), aborted)).rejects.toThrow("enough");
  host.dial = () => Promise.reject(new Error("connect ECONNREFUSED"));
  await expect(connectSsh(host.world(), host.target(), aborted)).rejects.toThrow("enough");
  await turns();
});

test("after close nothing is dialled, forwarded or run", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  connection.close();
  await expect(connection.execute("true")).rejects.toThrow("the SSH connection is closed");
  await expect(connection.stream("true", {})).rejects.toThrow("the SSH connection is closed");
  await expect(connection.forward("10.0.0.1", 50000)).rejects.toMatchObject({
    code: "SSH_FORWARD",
    message: "Unable to reach 10.0.0.1:50000 through pve: the SSH connection is closed",
    cause: { code: "EHOSTUNREACH" },
  });
  await turns();
  expect([host.dialled.length, host.dialled[0]?.destroyed, host.sessions]).toEqual([1, true, 0]);
});

test("a login that is being made when the connection is closed is ended", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  host.connections[0]?.end();
  await turns();
  const ran = connection.execute("true");
  connection.close();
  await expect(ran).rejects.toThrow();
  await soon(() => host.dialled.every((socket) => socket.destroyed)).toBe(true);
});

test("after a lost command the connection is closed, and the next command logs in again", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  host.run = (_, channel) => channel.close();
  await expect(connection.execute("true")).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
  host.run = (_, channel) => exits(channel, 5);
  expect(await connection.execute("true")).toMatchObject({ code: 5 });
  await soon(() => host.dialled.map((socket) => socket.destroyed)).toEqual([true, false]);
});

test("concurrent commands after a lost connection share one new login", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  host.connections[0]?.end();
  await turns();
  await Promise.all([connection.execute("true"), connection.execute("true"), connection.forward("10.0.0.1", 1)]);
  expect(host.dialled.length).toBe(2);
});

test("a failed login is not kept: the next command logs in again", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  host.connections[0]?.end();
  await turns();
  host.dial = () => Promise.reject(new Error("connect EHOSTUNREACH"));
  await expect(connection.execute("true")).rejects.toMatchObject({ code: "SSH_UNREACHABLE" });
  host.dial = async () => host.accept();
  expect(await connection.execute("true")).toMatchObject({ code: 0 });
});

test("a host that is trusted at first use must show the same key at the next login", async () => {
  const host = new MemoryHost();
  const { hostKey: _, ...unpinned } = host.target({ firstKey: true });
  const connection = await connectSsh(host.world(), unpinned);
  made.push(connection);
  host.connections[0]?.end();
  await turns();
  host.hostKeys.splice(0, 1, newKey().pem);
  await expect(connection.execute("true")).rejects.toMatchObject({ code: "SSH_HOST_KEY" });
  expect(connection.hostKey()).toBe(host.fingerprint);
});

test("eight commands run at once, and the next one starts when one of them ends", async () => {
  const host = new MemoryHost();
  const running = holding(host);
  const connection = await connected(host);
  const ran = Array.from({ length: 10 }, () => connection.execute("true"));
  await soon(() => running.length).toBe(8);
  await turns();
  expect(running.length).toBe(8);
  end(running[3]);
  await soon(() => running.length).toBe(9);
  host.run = (_, channel) => exits(channel, 0);
  for (const channel of running) end(channel);
  await Promise.all(ran);
});

test("commands that fail or are aborted leave room for others", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  const stop = new AbortController();
  const running = holding(host);
  const aborted = Array.from({ length: 8 }, () => connection.execute("true", { signal: stop.signal }));
  await soon(() => running.length).toBe(8);
  stop.abort(new Error("enough"));
  for (const ran of aborted) await expect(ran).rejects.toThrow("enough");
  host.run = (_, channel) => exits(channel, 0);
  expect(await connection.execute("true")).toMatchObject({ code: 0 });
});

test("an aborted command is not run", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(connection.execute("true", { signal })).rejects.toThrow("enough");
  await expect(connection.stream("true", { signal })).rejects.toThrow("enough");
  expect(host.sessions).toBe(0);
});

/** Far more sessions than are asked for before a command is given up. */
const FAR_MORE = 40;

test("a command that is refused a session is tried six times, with pauses that double, and then fails", async () => {
  const host = new MemoryHost();
  host.opens = (session) => session > FAR_MORE;
  const connection = await connected(host);
  await expect(connection.execute("true")).rejects.toMatchObject({ code: "SSH_SESSION_REFUSED" });
  expect([host.sessions, host.pauses, host.dialled.length]).toEqual([6, [100, 200, 400, 800, 1600], 1]);
});

test("commands that are all refused wait for each other no longer than one alone", async () => {
  const host = new MemoryHost();
  host.opens = (session) => session > FAR_MORE;
  const connection = await connected(host);
  const ran = [connection.execute("true"), connection.execute("true")];
  for (const one of ran) await expect(one).rejects.toMatchObject({ code: "SSH_SESSION_REFUSED" });
  expect([host.sessions, host.pauses.length]).toEqual([12, 10]);
});

test("a command that is refused at first runs after a pause", async () => {
  const host = new MemoryHost();
  host.opens = (session) => session > 2;
  const connection = await connected(host);
  expect(await connection.execute("true")).toMatchObject({ code: 0 });
  expect([host.sessions, host.pauses]).toEqual([3, [100, 200]]);
});

test("a command that is refused while another one runs is tried again when that has ended, without a pause", async () => {
  const host = new MemoryHost();
  const running = holding(host);
  const connection = await connected(host);
  const first = connection.execute("true");
  await soon(() => running.length).toBe(1);
  host.opens = (session) => session !== 2;
  const second = connection.execute("true");
  await soon(() => host.sessions).toBe(2);
  await turns();
  expect([host.sessions, host.pauses]).toEqual([2, []]);
  host.run = (_, channel) => exits(channel, 7);
  end(running[0]);
  expect([(await first).code, (await second).code]).toEqual([0, 7]);
  expect([host.sessions, host.pauses]).toEqual([3, []]);
});

test.each<[string, (channel: ServerChannel | undefined) => void]>([
  ["ended", end],
  ["was lost", (channel) => channel?.close()],
])("a command is tried again without a pause when another one %s before the refusal arrived", async (_, finish) => {
  const host = new MemoryHost();
  const running = holding(host);
  const connection = await connected(host);
  const first = connection.execute("true").catch(() => {});
  await soon(() => running.length).toBe(1);
  host.opens = (session) => {
    if (session === 2) finish(running[0]);
    return session !== 2;
  };
  host.run = (_, channel) => exits(channel, 7);
  expect(await connection.execute("true")).toMatchObject({ code: 7 });
  await first;
  expect(host.pauses).toEqual([]);
});

test("a command that fails for another reason than a refusal is not repeated", async () => {
  const host = new MemoryHost();
  host.run = (_, channel) => channel.close();
  const connection = await connected(host);
  await expect(connection.execute("true")).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
  await turns();
  expect([host.sessions, host.pauses]).toEqual([1, []]);
});

test("a stream that is refused a session is repeated with its source untouched", async () => {
  const host = new MemoryHost();
  host.opens = (session) => session > 1;
  host.run = (_, channel) => channel.on("data", () => exits(channel, 0));
  const connection = await connected(host);
  async function* source() {
    yield Buffer.from("once");
  }
  expect(await connection.stream("cat", { source: source() })).toMatchObject({ code: 0 });
});

test("a pause before the next try ends when the caller aborts", async () => {
  const host = new MemoryHost();
  host.opens = () => false;
  const stop = new AbortController();
  const world = host.world();
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const connection = await connected(host, {}, { clock: { ...world.clock, sleep } });
  const ran = connection.execute("true", { signal: stop.signal });
  await turns();
  stop.abort(new Error("enough"));
  await expect(ran).rejects.toThrow("enough");
});

test("256 forwards are open at once, and the next one is opened when one of them closes", async () => {
  const host = new MemoryHost();
  let open = 0;
  host.forward = ({ accept }) => {
    open++;
    accept();
  };
  const connection = await connected(host);
  const sockets: Socket[] = [];
  for (let n = 0; n < 256; n++) sockets.push(await connection.forward("10.0.0.1", n + 1));
  const next = connection.forward("10.0.0.1", 257);
  await turns();
  expect(open).toBe(256);
  sockets[0]?.destroy();
  await next;
  expect(open).toBe(257);
});

test("forwards that fail leave room for others", async () => {
  const host = new MemoryHost();
  host.forward = ({ refuse }) => refuse(2, "Connection refused");
  const connection = await connected(host);
  for (let n = 0; n < 256; n++) await connection.forward("10.0.0.1", 1).catch(() => {});
  host.forward = ({ accept }) => void accept().end("hello");
  expect(await text(await connection.forward("10.0.0.1", 1))).toBe("hello");
});

test("a forward that is refused is not repeated", async () => {
  const host = new MemoryHost();
  let asked = 0;
  host.forward = ({ refuse }) => {
    asked++;
    refuse(2, "Connection refused");
  };
  const connection = await connected(host);
  await expect(connection.forward("10.0.0.1", 1)).rejects.toMatchObject({ code: "SSH_FORWARD", cause: { code: "ECONNREFUSED" } });
  expect([asked, host.dialled.length]).toEqual([1, 1]);
});

test("a forward whose connection is cut is repeated once, through a new login", async () => {
  const host = new MemoryHost();
  const cuts = [true, false];
  host.forward = ({ accept, cut }) => (cuts.shift() ? cut() : void accept().end("hello"));
  const connection = await connected(host);
  expect(await text(await connection.forward("10.0.0.1", 1))).toBe("hello");
  cuts.push(true, true, false);
  await expect(connection.forward("10.0.0.1", 1)).rejects.toMatchObject({ code: "SSH_FORWARD", transient: true });
  expect([cuts, host.dialled.length]).toEqual([[false], 3]);
});

test("an aborted forward fails with the caller's reason, and a channel that opens later is closed", async () => {
  const host = new MemoryHost();
  const stop = new AbortController();
  let open: (() => ServerChannel) | undefined;
  host.forward = ({ accept }) => {
    open = accept;
  };
  const connection = await connected(host);
  const reason = new Error("enough");
  const opening = connection.forward("10.0.0.1", 1, stop.signal);
  await soon(() => open).toBeDefined();
  stop.abort(reason);
  await expect(opening).rejects.toBe(reason);
  const channel = open?.().resume();
  await new Promise((closed) => channel?.once("close", closed));
});

test("the time limit of a forward begins after the login", async () => {
  const host = new MemoryHost();
  const connection = await connected(host);
  host.connections[0]?.end();
  await turns();
  const timeout = AbortSignal.timeout;
  let logins = 0;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    logins = host.tried.filter((method) => method === "signature").length;
    return timeout.call(AbortSignal, ms);
  });
  await connection.forward("10.0.0.1", 1);
  expect(logins).toBe(2);
});

test("a forward that is not answered in time fails like a dial without an answer", async () => {
  const host = new MemoryHost();
  const time = new AbortController();
  host.forward = () => time.abort(new Error("time is up"));
  const connection = await connected(host);
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(time.signal);
  await expect(connection.forward("10.0.0.1", 1)).rejects.toMatchObject({
    code: "SSH_FORWARD",
    transient: true,
    cause: { code: "EHOSTUNREACH" },
  });
});
