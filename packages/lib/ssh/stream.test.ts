import { expect, test } from "vitest";
import type { Flow } from "./ssh.ts";
import { streamed } from "./stream.ts";
import { FakeClient, refusedChannel } from "./testing/fake-client.ts";

const TARGET = { host: "pve", port: 22, user: "root" };

function run(connection: FakeClient, flow: Flow = {}) {
  const ran = streamed(connection.client, TARGET, "cat", flow, connection.declareDead);
  ran.catch(() => {});
  return ran;
}

const LOST = { code: "SSH_COMMAND_LOST", transient: true };

/** Lets everything run that waits for nothing but its turn. */
const turn = () => new Promise<void>((done) => setImmediate(done));

async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test("a stream ends with its code and its error output, and its output is handed on part by part", async () => {
  const connection = new FakeClient();
  const taken: string[] = [];
  const ran = run(connection, { take: (part) => taken.push(part.toString()) });
  connection.channel.emit("data", Buffer.from("one"));
  connection.channel.prints("two", "wrong", 3);
  expect(await ran).toEqual({ code: 3, stderr: "wrong" });
  expect(taken).toEqual(["one", "two"]);
  expect([connection.commands, connection.dead, connection.listenerCount("close")]).toEqual([["cat"], 0, 0]);
});

test("output that is not asked for is dropped", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  connection.channel.prints("two", "", 0);
  expect(await ran).toEqual({ code: 0, stderr: "" });
});

test("a command without a source gets an empty input that ends", async () => {
  const connection = new FakeClient();
  run(connection);
  await turn();
  expect([connection.channel.sent, connection.channel.isEnded]).toEqual([[], true]);
});

test("a source is sent in order, and then the input ends", async () => {
  const connection = new FakeClient();
  run(connection, { source: parts("a", "b", "c") });
  await turn();
  expect([connection.channel.sent, connection.channel.isEnded]).toEqual([["a", "b", "c"], true]);
});

test("a command that takes no more is sent the next part when it has room again", async () => {
  const connection = new FakeClient();
  const { channel } = connection;
  channel.takesMore = false;
  run(connection, { source: parts("a", "b", "c") });
  await turn();
  expect(channel.sent).toEqual(["a"]);
  channel.emit("drain");
  await turn();
  expect([channel.sent, channel.isEnded]).toEqual([["a", "b"], false]);
  channel.takesMore = true;
  channel.emit("drain");
  await turn();
  expect([channel.sent, channel.isEnded]).toEqual([["a", "b", "c"], true]);
});

test("a command that ended while it took no more is sent nothing further, and its source is ended", async () => {
  const connection = new FakeClient();
  const { channel } = connection;
  channel.takesMore = false;
  let isReleased = false;
  async function* source() {
    try {
      yield* parts("a", "b");
    } finally {
      isReleased = true;
    }
  }
  const ran = run(connection, { source: source() });
  await turn();
  channel.prints("", "", 1);
  await turn();
  expect(await ran).toMatchObject({ code: 1 });
  expect([channel.sent, channel.isEnded, isReleased]).toEqual([["a"], false, true]);
});

test("a command that ended before its source is sent nothing further", async () => {
  const connection = new FakeClient();
  const { channel } = connection;
  async function* source() {
    yield Buffer.from("a");
    channel.prints("", "", 0);
  }
  const ran = run(connection, { source: source() });
  expect(await ran).toMatchObject({ code: 0 });
  await turn();
  expect([channel.sent, channel.isEnded]).toEqual([["a"], false]);
});

test("a command that ends during a write that it did not take does not wait for room", async () => {
  const connection = new FakeClient();
  const { channel } = connection;
  let isReleased = false;
  channel.write = () => {
    channel.prints("", "", 0);
    return false;
  };
  async function* source() {
    try {
      yield* parts("a", "b");
    } finally {
      isReleased = true;
    }
  }
  expect(await run(connection, { source: source() })).toMatchObject({ code: 0 });
  await turn();
  expect(isReleased).toBe(true);
});

test("a source that fails closes the command, and its error is the result", async () => {
  const connection = new FakeClient();
  async function* source() {
    yield Buffer.from("a");
    throw new Error("the disk is gone");
  }
  await expect(run(connection, { source: source() })).rejects.toThrow("the disk is gone");
  expect([connection.channel.isClosed, connection.channel.isEnded, connection.dead]).toEqual([true, false, 0]);
  expect(connection.listenerCount("close")).toBe(0);
});

test("output that cannot be taken closes the command, and its error is the result", async () => {
  const connection = new FakeClient();
  const take = () => {
    throw new Error("the disk is full");
  };
  const ran = run(connection, { take });
  connection.channel.emit("data", Buffer.from("x"));
  await expect(ran).rejects.toThrow("the disk is full");
  expect(connection.channel.isClosed).toBe(true);
});

test("an aborted stream closes its command and fails with the reason", async () => {
  const connection = new FakeClient();
  const stop = new AbortController();
  const ran = run(connection, { signal: stop.signal });
  expect(connection.channel.isClosed).toBe(false);
  stop.abort(new Error("enough"));
  await expect(ran).rejects.toThrow("enough");
  expect([connection.channel.isClosed, connection.dead, connection.listenerCount("close")]).toEqual([true, 0, 0]);
});

test("a command that opens after it was aborted is closed and gets no input", async () => {
  let open = () => {};
  const connection = new FakeClient((opened, channel) => {
    open = () => opened(undefined, channel);
  });
  const stop = new AbortController();
  const ran = run(connection, { signal: stop.signal, source: parts("a") });
  stop.abort(new Error("enough"));
  await expect(ran).rejects.toThrow("enough");
  open();
  await turn();
  expect([connection.channel.isClosed, connection.channel.sent, connection.channel.isEnded]).toEqual([true, [], false]);
});

test("what happens after an abort does not declare the connection dead", async () => {
  const connection = new FakeClient();
  const stop = new AbortController();
  const ran = run(connection, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(ran).rejects.toThrow("enough");
  connection.channel.emit("close");
  connection.emit("close");
  await turn();
  expect(connection.dead).toBe(0);
});

test("an abort after the end changes nothing", async () => {
  const connection = new FakeClient();
  const stop = new AbortController();
  const ran = run(connection, { signal: stop.signal });
  connection.channel.prints("", "", 0);
  await ran;
  stop.abort(new Error("enough"));
  expect(connection.channel.isClosed).toBe(false);
});

test("a connection that goes away ends a stream, and counts as dead before the caller hears of it", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  connection.emit("close");
  await expect(ran).rejects.toMatchObject({ ...LOST, message: expect.stringMatching(/: the connection was closed$/) });
  expect(connection.dead).toBe(1);
});

test("a connection that is already gone ends a stream at once", async () => {
  const connection = new FakeClient(() => {
    throw new Error("Not connected");
  });
  await expect(run(connection)).rejects.toMatchObject({ ...LOST, message: expect.stringMatching(/: Not connected$/) });
  expect([connection.dead, connection.listenerCount("close")]).toEqual([1, 0]);
});

test("a stream that is refused a session was not run, and the connection lives on", async () => {
  const connection = new FakeClient((opened) => opened(refusedChannel()));
  await expect(run(connection)).rejects.toMatchObject({ code: "SSH_SESSION_REFUSED", detail: "open failed" });
  expect([connection.dead, connection.listenerCount("close")]).toEqual([0, 0]);
});

test("any other error than a refusal ends the connection as well", async () => {
  const connection = new FakeClient((opened) => opened(new Error("broken")));
  await expect(run(connection)).rejects.toMatchObject({ ...LOST, message: expect.stringMatching(/: broken$/) });
  expect([connection.dead, connection.listenerCount("close")]).toEqual([1, 0]);
});

test.each([null, undefined])("a stream without an exit code is lost: %s", async (code) => {
  const connection = new FakeClient();
  const ran = run(connection);
  if (code === null) connection.channel.emit("exit", null);
  connection.channel.emit("close");
  await expect(ran).rejects.toMatchObject(LOST);
  expect(connection.dead).toBe(1);
});

test("only the last 16 KiB of the error output are kept", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  const kept = `${"x".repeat(16 * 1024 - 4)}last`;
  connection.channel.stderr.emit("data", Buffer.from(`first${kept.slice(0, 5000)}`));
  connection.channel.stderr.emit("data", Buffer.from(kept.slice(5000)));
  connection.channel.prints("", "", 1);
  expect((await ran).stderr === kept).toBe(true);
});

test("a channel whose other end does not read any more does not end the program", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  connection.channel.emit("error", new Error("EPIPE"));
  connection.channel.prints("", "", 0);
  expect(await ran).toMatchObject({ code: 0 });
});
