import { once } from "node:events";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import type { RunningLab, Service } from "./kernel.ts";
import { createLab } from "./lab.ts";

const PORT = 7003;
let lab: RunningLab;
afterEach(() => lab.close());

/** A door and an endpoint, each of which says hello. */
const greeting = (): Service => ({
  name: "greeting",
  initial: () => ({}),
  endpoints: async (it) => [{ host: it.address.host(2), port: PORT, accept: (socket) => void socket.end("hello") }],
  doors: (it) => [{ host: it.address.host(11), port: PORT, key: "open" }],
  behind: (_, { host, port }) => ({ host, port, accept: (socket) => void socket.end("hello") }),
});

async function start(privateNodes: boolean): Promise<void> {
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "s", timeScale: "instant", services: [greeting()], privateNodes });
  await lab.start();
  lab.settle();
}

async function heard(last: number, from?: string): Promise<string> {
  const to = { host: lab.address.host(last), port: PORT, ...(from && { localAddress: from }) };
  for (;;) {
    try {
      const socket = await lab.world.net.dial(to);
      let text = "";
      socket.on("data", (part) => (text += part)).on("error", () => {});
      await once(socket, "close");
      return text;
    } catch {
      // Opening a door takes a moment.
      await lab.world.clock.sleep(5);
    }
  }
}

test("machines of a private network answer only clients with an address of the lab", async () => {
  await start(true);
  expect([await heard(11), await heard(11, lab.address.host(1))]).toEqual(["", "hello"]);
});

test("endpoints other than machines answer every client", async () => {
  await start(true);
  expect(await heard(2)).toBe("hello");
});

test("by default nothing is private", async () => {
  await start(false);
  expect(await heard(11)).toBe("hello");
});
