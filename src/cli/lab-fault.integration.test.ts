import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import { labBreakage, labFaults, labOutages } from "@talosmith/lab/host/client.ts";
import { type LabHandle, readLab } from "@talosmith/lab/host/lab-file.ts";
import { serveLab } from "@talosmith/lab/host/serve.ts";
import { toyService } from "@talosmith/lab/kernel/toy-service.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { EventBus } from "../engine/bus.ts";
import type { Event } from "../engine/event.ts";
import type { FaultFlags } from "./lab-fault-flags.ts";
import { breakLab } from "./lab-fault-run.ts";
import { showLab } from "./lab-status.ts";
import type { CommandSession } from "./session.ts";

const world = realWorld();
const ending = new AbortController();
const folder = mkdtempSync(join(tmpdir(), "lab-fault-"));
let serving: Promise<void>;
let lab: LabHandle;

beforeAll(async () => {
  const services = [factoryService(), toyService()];
  serving = serveLab(world, { folder: join(folder, ".lab"), seed: "s", timeScale: "instant", services }, ending.signal);
  for (let found = readLab(world, join(folder, ".lab")); ; found = readLab(world, join(folder, ".lab"))) {
    if (found) {
      lab = found;
      return;
    }
    await Promise.race([serving, world.clock.sleep(5)]);
  }
});
beforeEach(async () => {
  await labFaults(world, lab, []);
  await labOutages(world, lab, []);
});
afterAll(async () => {
  ending.abort();
  await serving;
  rmSync(folder, { recursive: true, force: true });
});

/** The command's output: results, and notices as lines. */
async function said(work: (session: CommandSession) => Promise<number>) {
  const redactor = new Redactor();
  const bus = new EventBus(world.clock, redactor);
  const events: Event[] = [];
  bus.listen((event) => events.push(event));
  await work({ world, bus, redactor, signal: ending.signal, mayMutate: () => {} });
  return events.flatMap((event): unknown[] => {
    if (event.type === "result") return [event.result];
    return event.type === "notice" ? [`${event.level}: ${event.message}`] : [];
  });
}

const fault = (what?: string, flags: FaultFlags = {}, ...args: string[]) =>
  said((session) => breakLab(session, { folder, what, args, flags }));
const rules = async () => (await labBreakage(world, lab)).faults.map(({ rule }) => rule);

test("each kind of fault adds a rule to the existing ones", async () => {
  await fault("delay", { ms: 40_000, service: "factory" });
  await fault("refuse", { service: "factory", error: "bad-gateway", times: 3 });
  await fault("refuse", { status: 500, message: "no" });
  await fault("cut-before", { nth: 2, resource: "vm *" });
  await fault("cut-after", { probability: 0.5, command: "*reboot*" });
  await fault("drip");
  await fault("task-error", { message: "disk full" });
  expect(await rules()).toEqual([
    { service: "factory", fault: { kind: "delay", ms: 40_000 } },
    { service: "factory", times: 3, fault: { kind: "refuse", status: 502, message: "Bad Gateway" } },
    { fault: { kind: "refuse", status: 500, message: "no" } },
    { resource: "vm *", occurrence: 2, fault: { kind: "cut-before" } },
    { command: "*reboot*", probability: 0.5, fault: { kind: "cut-after" } },
    { fault: { kind: "drip", bytes: 1 } },
    { fault: { kind: "task-error", message: "disk full" } },
  ]);
});

test("an error that only one service has needs no --service", async () => {
  await fault("refuse", { error: "unknown-schematic" });
  expect(await rules()).toMatchObject([{ service: "factory", fault: { status: 404 } }]);
});

test("a call that has not been made yet is accepted, with a warning that lists similar calls", async () => {
  await fetch(`${lab.services.factory?.url}/versions`, { headers: { connection: "close" } });
  const [warning] = await fault("cut-before", { service: "factory", call: "GET /version" });
  expect(warning).toBe('warn: no call "GET /version" has been made yet; calls made so far: GET /versions');
  const [result] = await fault("cut-before", { service: "factory", call: "GET /ver*" });
  expect(result).toMatchObject({ kind: "facts", title: "broken on purpose from now on" });
});

test("addresses go down one by one, and clear restores addresses and calls", async () => {
  await fault("down", { service: "toy", silent: true });
  await fault("down", { host: "2" });
  await fault("drip");
  expect((await labBreakage(world, lab)).outages).toEqual([
    { service: "toy", how: "silent" },
    { host: 2, how: "refused" },
  ]);
  const [status] = await said((session) => showLab(session, folder));
  expect(status).toMatchObject({ facts: expect.arrayContaining([expect.objectContaining({ value: "1 fault, 2 outages" })]) });
  expect(await fault("clear")).toEqual([expect.stringContaining("events (a power loss, a full disk) are not undone")]);
  expect(await labBreakage(world, lab)).toMatchObject({ faults: [], outages: [] });
});

test("an event is triggered by its name", async () => {
  expect(await fault("clock-forward", {}, "2h")).toEqual(["info: clock-forward 2h: done"]);
  await expect(fault("clock-back", {}, "2h")).rejects.toMatchObject({
    code: "LAB_STRIKE",
    detail: expect.stringContaining("clock-forward <duration>: "),
  });
});

test("without arguments it lists active faults with their counts, and everything that can be broken", async () => {
  await fault("refuse", { service: "toy", status: 503, nth: 1 });
  await fetch(`${lab.services.toy?.url}/say/x`, { headers: { connection: "close" } });
  const [broken, breakable] = (await fault()) as { rows: Record<string, unknown>[] }[];
  expect(broken?.rows).toEqual([{ what: "refuse 503 broken on purpose", where: "toy, every call", when: "call 1", fired: 1 }]);
  expect(breakable?.rows.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["delay --ms N", "down", "clock-forward <duration>", "refuse --service factory --error not-ready"]),
  );
});

test.each<[string, FaultFlags, string[], string, string]>([
  ["refuse", { service: "fctory", status: 500 }, [], "there is no service fctory in this lab", "choose one of factory, toy"],
  ["refuse", { service: "factory", error: "lock" }, [], "factory does not know the error lock", "bad-gateway"],
  ["refuse", { error: "lock" }, [], "no service of this lab knows the error lock", "talosmith lab fault"],
  ["refuse", {}, [], "refuse needs --error or --status", "talosmith lab fault"],
  ["delay", {}, [], "delay needs --ms", "--ms 40000"],
  ["delay", { ms: 1, bytes: 1 }, [], "delay does not take --bytes", "--ms"],
  ["drip", { nth: 1, probability: 1 }, [], "--nth and --probability exclude each other", "which call"],
  ["drip", {}, ["pve1"], 'drip does not take "pve1"', "--bytes"],
  ["down", { host: "pve1" }, [], '"pve1" is not an address', "last number"],
  ["clear", { service: "toy" }, [], "clear does not take --service", "no options"],
])("wrong arguments are refused with a hint: %s %j", async (what, flags, args, why, hint) => {
  await expect(fault(what, flags, ...args)).rejects.toMatchObject({
    kind: "user",
    message: expect.stringContaining(why),
    hint: expect.stringContaining(hint),
  });
  expect(await labBreakage(world, lab)).toMatchObject({ faults: [], outages: [] });
});
