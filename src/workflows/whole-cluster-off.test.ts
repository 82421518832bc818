import { expect, test } from "vitest";
import type { Environment } from "../environment/environment.ts";
import type { Inventory, Owned } from "../platforms/platform.ts";
import { stoppedNotice, wholeClusterOff } from "./whole-cluster-off.ts";

const NAMES = ["cp-1", "worker-1"];
const env = {
  shown: "env",
  config: { cluster: { name: "homelab" }, nodes: NAMES.map((name) => ({ name })) },
} as unknown as Environment;
const owned = (name: string, state: string) => ({ name, state }) as Owned;
const found = (rest: Partial<Inventory>): Inventory => ({
  environment: "e",
  owned: [],
  there: new Set(NAMES),
  foreign: [],
  ...rest,
});

test("a cluster whose machines are all stopped is off", () => {
  const stopped = found({ owned: NAMES.map((name) => owned(name, "stopped")) });
  expect(wholeClusterOff(env, stopped)).toBe("homelab is off: all 2 machines are stopped");
});

test("a cluster with one machine that runs, or that cannot be read, is not off", () => {
  for (const state of ["running", "unreachable"])
    expect(wholeClusterOff(env, found({ owned: [owned("cp-1", "stopped"), owned("worker-1", state)] }))).toBeUndefined();
});

test("a cluster without power control seems to be off when no machine answers", () => {
  expect(wholeClusterOff(env, found({ silent: NAMES }))).toBe("homelab seems to be off: none of its machines answers");
  expect(wholeClusterOff(env, found({ silent: ["cp-1"] }))).toBeUndefined();
});

test("a cluster without machines is not off", () => {
  expect(wholeClusterOff(env, found({}))).toBeUndefined();
});

test("a plan of a stopped cluster says so and names start, but not where machines have never been a cluster", () => {
  const machines = (bootstrapped: boolean) => NAMES.map((name) => ({ ...owned(name, "stopped"), bootstrapped }));
  expect(stoppedNotice(env, found({ owned: machines(true) }))).toMatchObject({
    message: expect.stringContaining("homelab is off: all 2 machines are stopped"),
    hint: "start it:  talosmith start env",
  });
  expect(stoppedNotice(env, found({ owned: machines(false) }))).toBeUndefined();
  const running = machines(true).map((one) => ({ ...one, state: "running" }));
  expect(stoppedNotice(env, found({ owned: running }))).toBeUndefined();
});
