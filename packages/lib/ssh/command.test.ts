import { expect, test } from "vitest";
import { executed } from "./command.ts";
import { FakeClient, refusedChannel } from "./testing/fake-client.ts";

const TARGET = { host: "pve", port: 22, user: "root" };

const run = (connection: FakeClient, stdin = "") => executed(connection.client, TARGET, "true", stdin, connection.declareDead);

test("a command ends with its code, and with both of its outputs", async () => {
  const connection = new FakeClient();
  const ran = run(connection, "in");
  connection.channel.emit("data", Buffer.from("o"));
  connection.channel.emit("data", Buffer.from("ut"));
  connection.channel.stderr.emit("data", Buffer.from("err"));
  connection.channel.emit("exit", 3);
  connection.channel.emit("close");
  expect(await ran).toEqual({ code: 3, stdout: "out", stderr: "err" });
  expect([connection.commands, connection.channel.isEnded]).toEqual([["true"], true]);
  expect([connection.channel.sent, connection.dead, connection.listenerCount("close")]).toEqual([["in"], 0, 0]);
});

test("a connection that is already gone ends a command at once", async () => {
  const connection = new FakeClient(() => {
    throw new Error("Not connected");
  });
  await expect(run(connection)).rejects.toMatchObject({
    code: "SSH_COMMAND_LOST",
    message: expect.stringContaining("Not connected"),
  });
  expect(connection.dead).toBe(1);
});

test("a connection that goes away ends a command, and counts as dead before the caller hears of it", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  connection.emit("close");
  await expect(ran).rejects.toMatchObject({
    code: "SSH_COMMAND_LOST",
    transient: true,
    message: expect.stringMatching(/: the connection was closed$/),
  });
  expect(connection.dead).toBe(1);
});

test("a command that is refused a session was not run, and the connection lives on", async () => {
  const connection = new FakeClient((opened) => opened(refusedChannel()));
  await expect(run(connection)).rejects.toMatchObject({ code: "SSH_SESSION_REFUSED" });
  expect([connection.dead, connection.listenerCount("close")]).toEqual([0, 0]);
});

test("any other error than a refusal ends the connection as well", async () => {
  const connection = new FakeClient((opened) => opened(new Error("broken")));
  await expect(run(connection)).rejects.toMatchObject({
    code: "SSH_COMMAND_LOST",
    message: expect.stringMatching(/: broken$/),
    cause: { message: "broken" },
  });
  expect([connection.dead, connection.listenerCount("close")]).toEqual([1, 0]);
});

test("an error whose reason is not a number of the protocol is no refusal", async () => {
  const connection = new FakeClient((opened) => opened(refusedChannel("CONNECT_FAILED")));
  await expect(run(connection)).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
});

test("a command that prints exactly 64 MiB gets all of it", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  const part = Buffer.alloc(16 * 1024 * 1024, "x");
  for (let n = 0; n < 4; n++) connection.channel.emit("data", part);
  connection.channel.emit("exit", 0);
  connection.channel.emit("close");
  expect((await ran).stdout.length).toBe(64 * 1024 * 1024);
});

test("a connection that is lost after a command has ended is not declared dead by it", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  connection.channel.prints("", "", 0);
  await ran;
  connection.emit("close");
  expect(connection.dead).toBe(0);
});

test("a command is lost once, although its connection closes later", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  connection.channel.prints("", "", null);
  await expect(ran).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
  connection.emit("close");
  expect(connection.dead).toBe(1);
});

test("a command without an exit code is lost", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  connection.channel.emit("exit", null);
  connection.channel.emit("close");
  await expect(ran).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
});

test("a command that prints without end is cut off at 64 MiB", async () => {
  const connection = new FakeClient();
  const ran = run(connection);
  const part = Buffer.alloc(16 * 1024 * 1024);
  for (let n = 0; n < 4; n++) connection.channel.emit("data", part);
  expect(connection.channel.isDestroyed).toBe(false);
  connection.channel.stderr.emit("data", Buffer.from("x"));
  expect(connection.channel.isDestroyed).toBe(true);
  await expect(ran).rejects.toMatchObject({ code: "SSH_COMMAND_LOST", message: expect.stringContaining("larger than 64 MiB") });
});

test("a channel whose other end does not read any more does not end the program", async () => {
  const connection = new FakeClient();
  const ran = run(connection, "x");
  connection.channel.emit("error", new Error("EPIPE"));
  connection.channel.emit("exit", 0);
  connection.channel.emit("close");
  expect((await ran).code).toBe(0);
});
