import { once } from "node:events";
import type { Socket } from "node:net";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunningLab, Service } from "./kernel.ts";
import { createLab } from "./lab.ts";

const PORT = 7004;
let lab: RunningLab;

/** An endpoint at host 2 and doors at 11 and 12, which echo their input. */
const echo = (): Service => {
  const accept = (socket: Socket) => void socket.on("error", () => {}).pipe(socket);
  return {
    name: "echo",
    initial: () => ({}),
    endpoints: async (it) => [{ host: it.address.host(2), port: PORT, accept }],
    doors: (it) => [11, 12].map((last) => ({ host: it.address.host(last), port: PORT, key: "open" })),
    behind: (_, { host, port }) => ({ host, port, accept }),
  };
};

beforeEach(async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "s", timeScale: "instant", services: [echo()] });
  await lab.start();
  lab.settle();
  await expect.poll(() => Promise.all([2, 11, 12].map(said)), { interval: 5 }).toEqual(["hello", "hello", "hello"]);
});
afterEach(() => lab.close());

const dial = (last: number) => lab.world.net.dial({ host: lab.address.host(last), port: PORT });

const soon = () => ({ signal: AbortSignal.timeout(5000) });

async function repeats(socket: Socket): Promise<string> {
  socket.write("hello");
  const [heard] = await once(socket, "data", { signal: AbortSignal.timeout(100) });
  return String(heard);
}

/** The result of a new connection. */
async function said(last: number): Promise<string> {
  try {
    const socket = await dial(last);
    const heard = await repeats(socket).catch((error) => error.code ?? error.name);
    socket.destroy();
    return heard;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

describe.each([
  ["an endpoint", 2],
  ["a door", 11],
])("an outage at %s", (_, last) => {
  test("of kind refused cuts connected clients, refuses new ones, and ends", async () => {
    const before = await dial(last);
    const cut = once(before, "close", soon());
    lab.setOutages([{ host: last, how: "refused" }]);
    await cut;
    await expect.poll(() => said(last), { interval: 5 }).toBe("ECONNREFUSED");
    lab.setOutages([]);
    await expect.poll(() => said(last), { interval: 5 }).toBe("hello");
  });

  test("of kind silent cuts connected clients, and lets new ones wait", async () => {
    const before = await dial(last);
    const cut = once(before, "close", soon());
    lab.setOutages([{ service: "ec*", host: lab.address.host(last), how: "silent" }]);
    await cut;
    await expect.poll(() => said(last), { interval: 5 }).toBe("ABORT_ERR");
    lab.setOutages([]);
    await expect.poll(() => said(last), { interval: 5 }).toBe("hello");
  });

  test("is part of snapshots: a restore brings it back or ends it", async () => {
    const whole = lab.snapshot();
    lab.setOutages([{ service: "echo", how: "refused" }]);
    const broken = lab.snapshot();
    lab.restore(whole);
    await expect.poll(() => said(last), { interval: 5 }).toBe("hello");
    lab.restore(broken);
    expect(lab.outages()).toEqual([{ service: "echo", how: "refused" }]);
    await expect.poll(() => said(last), { interval: 5 }).toBe("ECONNREFUSED");
  });
});

test("an outage affects only the addresses it names", async () => {
  const other = await dial(12);
  const fixed = await dial(2);
  // An address of another network means the loopback address that the lab uses for it.
  lab.setOutages([{ host: "10.10.0.11", how: "refused" }]);
  await expect.poll(() => said(11), { interval: 5 }).toBe("ECONNREFUSED");
  expect([await repeats(other), await repeats(fixed), await said(12)]).toEqual(["hello", "hello", "hello"]);
});

test.each([
  [[{ service: "ecco", how: "refused" }], "there is no service ecco in this lab; it has echo"],
  [[{ host: 255, how: "refused" }], "0.host"],
  [[{ host: "pve1", how: "refused" }], "0.host"],
  [[{ how: "gone" }], "0.how"],
  [[{ how: "silent", where: 1 }], "where"],
  ["all", "outages"],
])("invalid outages are refused with the path of the error: %j", (outages, where) => {
  expect(() => lab.setOutages(outages as never)).toThrow(
    expect.objectContaining({ kind: "user", code: "LAB_OUTAGES", detail: expect.stringContaining(where) }),
  );
  expect(lab.outages()).toEqual([]);
});
