import { Duplex, duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { forwarded } from "./forwarded.ts";

/** A forwarded connection, the library's channel under it, and the other end of that. */
function connected() {
  const [channel, peer] = duplexPair() as [Duplex, Duplex];
  const socket = forwarded(channel);
  socket.on("error", () => {});
  return { channel, peer, socket };
}

/** Resolves when the stream has ended completely. */
const closed = (stream: Duplex) => new Promise<void>((done) => stream.once("close", done));

test("bytes go through in both directions", async () => {
  const { peer, socket } = connected();
  socket.write("there");
  peer.end("back");
  expect(await text(socket)).toBe("back");
  expect(String(peer.read())).toBe("there");
});

test("when the other end has ended, this one ends as well", async () => {
  const { peer, socket } = connected();
  peer.resume().end();
  socket.resume();
  await closed(socket);
  expect([socket.destroyed, socket.readableEnded, socket.writableFinished]).toEqual([true, true, true]);
});

test("ending the connection ends the channel for the other end", async () => {
  const { peer, socket } = connected();
  socket.end("last words");
  expect(await text(peer)).toBe("last words");
});

test("destroying the connection destroys the channel", async () => {
  const { channel, socket } = connected();
  socket.destroy();
  await closed(socket);
  expect(channel.destroyed).toBe(true);
});

test("an error of the channel is the connection's error", async () => {
  const { channel, socket } = connected();
  const failed = new Promise((done) => socket.once("error", done));
  channel.emit("error", new Error("broken"));
  expect(await failed).toMatchObject({ message: "broken" });
  expect(socket.destroyed).toBe(true);
});

test("the channel is paused while its data is not read, and goes on when it is", async () => {
  const { channel, peer, socket } = connected();
  const part = "x".repeat(socket.readableHighWaterMark / 4);
  for (let n = 0; n < 32; n++) peer.write(part);
  peer.end();
  await expect.poll(() => channel.isPaused()).toBe(true);
  expect(socket.readableLength).toBeLessThan(part.length * 8);
  expect((await text(socket)).length).toBe(part.length * 32);
});

/** A connection over a channel that never calls back for what was written. */
function stuck() {
  const channel = new Duplex({ read() {}, write() {} });
  const socket = forwarded(channel);
  socket.write("never taken");
  return { channel, socket };
}

test("data that arrived before the channel closed can still be read, and then the connection closes", async () => {
  const { channel, socket } = stuck();
  channel.emit("data", Buffer.from("early"));
  channel.emit("end");
  channel.emit("close");
  expect(socket.destroyed).toBe(false);
  expect(String(socket.read())).toBe("early");
  socket.resume();
  await closed(socket);
});

test("a channel that closes after everything was read closes the connection", async () => {
  const { channel, socket } = stuck();
  const ended = new Promise((done) => socket.resume().once("end", done));
  channel.emit("end");
  await ended;
  expect(socket.destroyed).toBe(false);
  channel.emit("close");
  expect(socket.destroyed).toBe(true);
});

test("a write after the channel has ended fails like one on a socket", async () => {
  const { channel, socket } = connected();
  channel.end();
  const error = await new Promise((done) => socket.write("late", done));
  expect(error).toMatchObject({ code: "EPIPE" });
});

test("a write is done when the channel has taken it", async () => {
  const { socket } = connected();
  expect(await new Promise((done) => socket.write("there", (error) => done(error ?? "taken")))).toBe("taken");
});

test("settings of a socket can be made, and change nothing", () => {
  const { socket } = connected();
  expect(socket.setNoDelay(true).setKeepAlive(true).setTimeout(1).ref().unref()).toBe(socket);
});
