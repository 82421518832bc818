import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import type { RunningLab, Service } from "./kernel.ts";
import { createLab } from "./lab.ts";
import { stillWorld } from "./still-world.ts";
import { type ToyState, toyService } from "./toy-service.ts";

let lab: RunningLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

/** A service with a strike, which records each one. */
function vase(name = "vase", strike = "drop"): Service {
  return {
    name,
    initial: () => ({ shards: [] }),
    endpoints: async () => [],
    strikes: {
      [strike]: {
        title: "it falls",
        args: ["floor", "times?"],
        run: (it, args) => void it.state<{ shards: string[] }>(name).shards.push(`${args.join(" ")}@${it.now()}`),
      },
    },
    refusals: { full: { status: 507, message: "no more flowers", when: "it is full" } },
  };
}

async function labWith(...services: Service[]): Promise<RunningLab> {
  lab = await createLab(stillWorld(realWorld()), { seed: "s", timeScale: 1, services });
  return lab;
}

test("a strike happens to its service, at one instant", async () => {
  const it = await labWith(toyService(), vase());
  it.strike("drop", ["marble"]);
  it.strike("drop", ["wood", "2"]);
  expect(it.state("vase")).toEqual({ shards: [`marble@${it.now()}`, `wood 2@${it.now()}`] });
});

test.each([
  ["spill", [], "drop <floor> [times]: it falls"],
  ["drop", [], "given: none"],
  ["drop", ["a", "b", "c"], "given: a b c"],
])("an impossible strike is an error that lists the possible ones: %s %j", async (name, args, detail) => {
  const it = await labWith(vase());
  expect(() => it.strike(name, args)).toThrow(
    expect.objectContaining({
      kind: "user",
      code: "LAB_STRIKE",
      detail: expect.stringContaining(detail),
      hint: expect.any(String),
    }),
  );
  expect(it.state("vase")).toEqual({ shards: [] });
});

test("strike names are unique among services, and distinct from the lab's own", async () => {
  await expect(labWith(vase(), vase("bowl"))).rejects.toThrow("drop twice");
  await expect(labWith(vase("vase", "clock-forward"))).rejects.toThrow("clock-forward twice");
});

test("a lab lists its strikes and its services' documented errors", async () => {
  const it = await labWith(toyService(), vase());
  expect(it.strikes()).toMatchObject({
    drop: { title: "it falls", args: ["floor", "times?"] },
    "clock-forward": { args: ["duration"] },
  });
  expect(it.refusals()).toEqual({ toy: {}, vase: { full: { status: 507, message: "no more flowers", when: "it is full" } } });
});

test("when time jumps ahead, all transitions due meanwhile run, each at its own time", async () => {
  const it = await labWith(toyService());
  const start = it.now();
  it.schedule("toy.note", 60_000, { what: "a", again: 3_600_000 });
  it.schedule("toy.note", 7_200_001, { what: "never" });
  it.strike("clock-forward", ["2h"]);
  expect(it.now() - start).toBe(7_200_000);
  expect(it.state<ToyState>("toy").log).toEqual([`a@${start + 60_000}`, `a'@${start + 3_660_000}`]);
});

test.each(["", "5", "-1h", "0s", "1001d", "1.5h", "soon"])("'%s' is not a duration", async (text) => {
  const it = await labWith(toyService());
  expect(() => it.strike("clock-forward", [text])).toThrow(expect.objectContaining({ code: "LAB_DURATION" }));
});
