import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { rescueService } from "./service.ts";
import { rescueState } from "./state.ts";

let lab: RunningLab;
beforeEach(async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "rescue strikes",
    timeScale: "instant",
    services: [rescueService()],
  });
  await lab.start();
});
afterEach(() => lab.close());

const runs = () => lab.turn(() => rescueState(lab).servers[0]?.runs);
const key = () => lab.published().rescue?.["hostKey vps-1"];

test("a rescue system that is started anew has another key; one that is entered again keeps it", async () => {
  await expect.poll(runs).toBe("rescue");
  const first = key();
  // In one instant: a moment later it may run again.
  const meanwhile = lab.turn(() => {
    lab.strike("rescue-entered", ["vps-1"]);
    return runs();
  });
  expect(meanwhile).toBe("nothing");
  await expect.poll(runs).toBe("rescue");
  expect(key()).toBe(first);
  lab.strike("rescue-key-changed", ["vps-1"]);
  await expect.poll(runs).toBe("rescue");
  expect(key()).not.toBe(first);
});

test("a server is restarted from its own disk, and switched off", async () => {
  await expect.poll(runs).toBe("rescue");
  lab.strike("rescue-left", ["vps-1"]);
  await expect.poll(runs).toBe("system");
  lab.strike("server-off", ["vps-1"]);
  expect(runs()).toBe("nothing");
  expect(() => lab.strike("server-off", ["vps-9"])).toThrow("there is no server vps-9");
});
