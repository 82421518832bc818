import { EventEmitter } from "node:events";
import type { Client } from "ssh2";
import { expect, test } from "vitest";
import { executed } from "./command.ts";

const TARGET = { host: "pve", port: 22, user: "root" };

type Opened = (error?: Error, channel?: Channel) => void;

/** Channel of a server, as ssh2 hands it out. */
class Channel extends EventEmitter {
  readonly stderr = new EventEmitter();
  sent = "";
  isDestroyed = false;
  end = (text: string) => {
    this.sent = text;
  };
  destroy = () => {
    this.isDestroyed = true;
    this.emit("close");
  };
}

class Connection extends EventEmitter {
  dead = 0;
  readonly channel = new Channel();

  constructor(readonly exec: (command: string, opened: Opened) => void) {
    super();
  }

  run(stdin = "") {
    return executed(this as unknown as Client, TARGET, "true", stdin, () => void this.dead++);
  }
}

const opening = () => new Connection((_, opened) => opened(undefined, connection.channel));
let connection: Connection;

test("a command ends with its code, and with both of its outputs", async () => {
  connection = opening();
  const ran = connection.run("in");
  connection.channel.emit("data", Buffer.from("o"));
  connection.channel.emit("data", Buffer.from("ut"));
  connection.channel.stderr.emit("data", Buffer.from("err"));
  connection.channel.emit("exit", 3);
  connection.channel.emit("close");
  expect(await ran).toEqual({ code: 3, stdout: "out", stderr: "err" });
  expect([connection.channel.sent, connection.dead, connection.listenerCount("close")]).toEqual(["in", 0, 0]);
});

test("a connection that is already gone ends a command at once", async () => {
  connection = new Connection(() => {
    throw new Error("Not connected");
  });
  await expect(connection.run()).rejects.toMatchObject({
    code: "SSH_COMMAND_LOST",
    message: expect.stringContaining("Not connected"),
  });
  expect(connection.dead).toBe(1);
});

test("a connection that goes away ends a command, and counts as dead before the caller hears of it", async () => {
  connection = opening();
  const ran = connection.run();
  connection.emit("close");
  await expect(ran).rejects.toMatchObject({ code: "SSH_COMMAND_LOST", transient: true });
  expect(connection.dead).toBe(1);
});

test("a command that is refused a session was not run, and the connection lives on", async () => {
  connection = new Connection((_, opened) => opened(Object.assign(new Error("open failed"), { reason: 1 })));
  await expect(connection.run()).rejects.toMatchObject({ code: "SSH_SESSION_REFUSED" });
  expect([connection.dead, connection.listenerCount("close")]).toEqual([0, 0]);
});

test("any other error than a refusal ends the connection as well", async () => {
  connection = new Connection((_, opened) => opened(new Error("broken")));
  await expect(connection.run()).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
  expect(connection.dead).toBe(1);
});

test("a command without an exit code is lost", async () => {
  connection = opening();
  const ran = connection.run();
  connection.channel.emit("exit", null);
  connection.channel.emit("close");
  await expect(ran).rejects.toMatchObject({ code: "SSH_COMMAND_LOST" });
});

test("a command that prints without end is cut off at 64 MiB", async () => {
  connection = opening();
  const ran = connection.run();
  const part = Buffer.alloc(16 * 1024 * 1024);
  for (let n = 0; n < 4; n++) connection.channel.emit("data", part);
  expect(connection.channel.isDestroyed).toBe(false);
  connection.channel.stderr.emit("data", Buffer.from("x"));
  expect(connection.channel.isDestroyed).toBe(true);
  await expect(ran).rejects.toMatchObject({ code: "SSH_COMMAND_LOST", message: expect.stringContaining("larger than 64 MiB") });
});

test("a channel whose other end does not read any more does not end the program", async () => {
  connection = opening();
  const ran = connection.run("x");
  connection.channel.emit("error", new Error("EPIPE"));
  connection.channel.emit("exit", 0);
  connection.channel.emit("close");
  expect((await ran).code).toBe(0);
});
