import { connect } from "node:net";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import type { Fault, RunningLab } from "./kernel.ts";
import { createLab } from "./lab.ts";
import { type ToyState, toyService } from "./toy-service.ts";

let lab: RunningLab;
afterEach(() => lab.close());

/** On the real clock: one of these tests keeps the process busy until a point in time. */
async function toy(fault?: Fault, timeScale: number | "instant" = 100): Promise<string> {
  lab = await createLab(realWorld(), { seed: "s", timeScale, services: [toyService()] });
  await lab.start();
  if (fault) lab.setFaults([{ fault }]);
  return lab.published().toy?.url ?? "";
}

/** One connection per call: the addresses of one test are reused by the next, and a kept connection would be dead then. */
const ask = (url: string, init: RequestInit = {}) => fetch(url, { ...init, headers: { connection: "close" } });

const heard = () => lab.state<ToyState>("toy").log.map((line) => line.split("@")[0]);

test("a call is answered, with its body, and recorded", async () => {
  const url = await toy();
  const answer = await ask(`${url}/say/hello?x=1`, { method: "POST", body: "world" });
  expect([answer.status, await answer.text()]).toEqual([200, "hello world"]);
  expect(lab.recorder.calls()).toEqual([
    { n: 1, at: expect.any(Number), service: "toy", site: "POST /say", resource: "hello", mutating: true, status: 200 },
  ]);
});

test("refuse: nothing happens, and the service words the error", async () => {
  const url = await toy({ kind: "refuse", status: 595, message: "no route\nto host" });
  const answer = await ask(`${url}/say/hello`);
  expect([answer.status, answer.statusText, await answer.text(), heard()]).toEqual([
    595,
    "no route to host",
    "no route\nto host",
    [],
  ]);
  expect(lab.recorder.calls()).toMatchObject([{ status: 595, fault: "refuse" }]);
});

test("cut-before: the connection breaks and nothing has happened", async () => {
  const url = await toy({ kind: "cut-before" });
  await expect(ask(`${url}/say/hello`)).rejects.toThrow();
  expect(heard()).toEqual([]);
  expect(lab.recorder.calls()).toMatchObject([{ fault: "cut-before" }]);
  expect(lab.recorder.calls()[0]).not.toHaveProperty("status");
});

test("cut-after: the connection breaks after the call took effect", async () => {
  const url = await toy({ kind: "cut-after" });
  await expect(ask(`${url}/say/hello`)).rejects.toThrow();
  expect(heard()).toEqual(["hello"]);
  expect(lab.recorder.calls()[0]).not.toHaveProperty("status");
});

test("cut-after: the response of a failed call is lost as well", async () => {
  const url = await toy({ kind: "cut-after" });
  await expect(ask(`${url}/boom/x`)).rejects.toThrow();
  expect(lab.recorder.calls()[0]).not.toHaveProperty("status");
});

test("drip: head and body arrive in pieces, and the connection serves the next call", async () => {
  const { port, hostname } = new URL(await toy({ kind: "drip", bytes: 2 }));
  const socket = connect(Number(port), hostname);
  const heard: string[] = [];
  socket.on("data", (part) => heard.push(String(part)));
  const say = async (word: string) => {
    heard.length = 0;
    socket.write(`GET /say/${word} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await expect.poll(() => heard.join(""), { interval: 2 }).toMatch(new RegExp(`\r\n\r\n${word} $`));
    return heard.length;
  };
  // Two bytes each, except for pieces that the system joins.
  expect(await say("hello")).toBeGreaterThan(heard.join("").length / 4);
  lab.setFaults([]);
  expect(await say("again")).toBeLessThan(3);
  socket.destroy();
});

test("delay: the call takes effect that much virtual time later", async () => {
  const url = await toy({ kind: "delay", ms: 3000 });
  const before = lab.now();
  const answer = await ask(`${url}/say/hello`);
  expect(answer.status).toBe(200);
  expect(Number(lab.state<ToyState>("toy").log[0]?.split("@")[1]) - before).toBeGreaterThanOrEqual(3000);
});

test("task-error: the service gets the fault together with the call", async () => {
  const url = await toy({ kind: "task-error", message: "disk full" });
  expect((await ask(`${url}/say/hello`)).status).toBe(200);
  expect(heard()).toEqual(["hello with disk full"]);
});

test("a handler without an answer yet is called again later, and the call counts once", async () => {
  const url = await toy();
  const before = lab.now();
  expect((await ask(`${url}/slow/5000`)).status).toBe(200);
  expect(lab.now() - before).toBeGreaterThanOrEqual(5000);
  expect(lab.recorder.calls()).toHaveLength(1);
});

test("a call whose client disconnects is not continued", async () => {
  const url = await toy(undefined, 1);
  const stop = new AbortController();
  const asking = ask(`${url}/slow/1000`, { signal: stop.signal });
  await expect.poll(() => lab.recorder.calls().length, { interval: 5 }).toBe(1);
  stop.abort();
  await expect(asking).rejects.toThrow();
  await lab.sleep(1100);
  expect(heard()).toEqual([]);
});

test("an error thrown by a handler is answered in the service's own format", async () => {
  const url = await toy();
  const answer = await ask(`${url}/boom/x`);
  expect([answer.status, await answer.text()]).toEqual([500, "Error: boom"]);
  expect(lab.recorder.calls()).toMatchObject([{ status: 500 }]);
});

test("a client never sees state with a transition that is due and not done", async () => {
  const url = await toy(undefined, 2000);
  for (let n = 0; n < 20; n++) {
    lab.schedule("toy.note", 2000 * n, { what: "due" });
    const due = lab.now() + 2000 * n;
    while (lab.now() < due);
    await ask(`${url}/say/asked`);
    expect(heard().slice(2 * n)).toEqual(["due", "asked"]);
  }
});

test("a broken lab answers every call with the error that broke it", async () => {
  const url = await toy();
  lab.schedule("toy.break", 0, null);
  const answer = await ask(`${url}/say/hello`);
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("broke in the transition toy.break")]);
  await expect(lab.close()).rejects.toThrow("toy.break");
});

test("closing the lab cuts calls that are still being answered", async () => {
  const url = await toy({ kind: "delay", ms: 1e9 });
  const asking = expect(ask(`${url}/say/hello`)).rejects.toThrow();
  await expect.poll(() => lab.recorder.calls().length, { interval: 5 }).toBe(1);
  await lab.close();
  await asking;
});

test("an incomplete request does no harm", async () => {
  const url = new URL(await toy());
  const socket = connect(Number(url.port), url.hostname);
  await new Promise<void>((resolve) =>
    socket.write("POST /say/x HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc", () => resolve()),
  );
  socket.destroy();
  expect((await ask(`${url}say/hello`)).status).toBe(200);
  expect(heard()).toEqual(["hello"]);
});
