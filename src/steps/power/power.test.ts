import { remoteError } from "@talosmith/lib/errors.ts";
import { beforeEach, expect, test } from "vitest";
import { type TestSession, testSession } from "../../../test/support/toy.ts";
import { changesOf, makePlan } from "../../engine/plan.ts";
import { runPlan, type StepResult } from "../../engine/run.ts";
import type { WorkItem } from "../../engine/step.ts";
import type { Owned, PowerControl } from "../../platforms/platform.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { ControlPlaneTurns } from "./control-plane-turns.ts";
import { machineOff } from "./machine-off.ts";
import { machineOn } from "./machine-on.ts";
import { shutdownsEnded } from "./shutdowns-ended.ts";

interface Machine {
  on: boolean;
  /** The behaviour of Talos on it. */
  talos: "running" | "shutting down" | "silent";
  leads?: true;
  /** How many shutdown calls are lost first. */
  losesCalls?: number;
  /** Talos never finishes shutting down. */
  isStuck?: true;
  /** How often it is seen shutting down before it is off; once by default. */
  looks?: number;
  /** Its host is unreachable. */
  isHidden?: true;
  isManaged?: true;
}

let machines: Map<string, Machine>;
let log: string[];
let session: TestSession;

beforeEach(() => {
  machines = new Map();
  log = [];
  session = testSession({ timeScale: 10_000 });
});

function machine(name: string, rest: Partial<Machine> = {}): Owned {
  machines.set(name, { on: true, talos: "running", ...rest });
  const role = name.startsWith("cp") ? "controlplane" : "worker";
  const owned = { name, role, address: name, subject: `machine ${name}`, where: `VM of ${name}` };
  return { ...owned, state: "running", bootstrapped: false, detail: { host: "pve1" } };
}

const of = (name: string) => machines.get(name) as Machine;

const nodeAt = (name: string) => ({
  resource: async () => {
    const { talos, isStuck, looks = 1 } = of(name);
    const isLast = talos === "shutting down" && !isStuck && looks <= 1;
    Object.assign(of(name), isLast ? { on: false, talos: "silent" } : talos === "shutting down" && { looks: looks - 1 });
    return { spec: { stage: talos } };
  },
  shutdown: async ({ force }: { force: boolean }) => {
    const { losesCalls = 0 } = of(name);
    if (losesCalls > 0) {
      of(name).losesCalls = losesCalls - 1;
      throw remoteError("TALOS_UNAVAILABLE", { message: `Unable to shut down ${name}`, transient: true });
    }
    log.push(`Talos shuts down ${name}${force ? "" : ", draining"}`);
    of(name).talos = "shutting down";
    return "actor";
  },
  etcdStatus: async () => ({ id: 1n, leader: of(name).leads ? 1n : 2n }),
});

const talos = {
  node: nodeAt,
  ask: async (name: string, question: (node: unknown) => Promise<unknown>) => {
    const { on, talos: state } = of(name);
    return on && state !== "silent" ? { is: "ours", answer: await question(nodeAt(name)) } : { is: "silent", why: "no route" };
  },
} as unknown as TalosNodes;

const control: PowerControl = {
  state: async ({ name }) => (of(name).isHidden ? "unknown" : of(name).on ? "on" : "off"),
  guard: async ({ name }) => (of(name).isHidden ? [{ level: "fail", code: "HOST_OFFLINE", message: `${name} is offline` }] : []),
  on: async ({ name }) => {
    log.push(`platform starts ${name}`);
    Object.assign(of(name), { on: true, talos: "running" });
  },
  off: async ({ name }) => {
    log.push(`platform shuts down ${name}`);
    Object.assign(of(name), { on: false, talos: "silent" });
  },
  restartsItself: async ({ name }) => of(name).isManaged === true,
};

const off = (owned: Owned, rest: object = {}) => machineOff({ owned, talos, control, stage: "workers", needs: [], ...rest });
const on = (owned: Owned, rest: object = {}) => machineOn({ owned, talos, control, stage: "workers", needs: [], ...rest });

async function run(...items: WorkItem[]): Promise<StepResult[]> {
  return runPlan(await makePlan(items, session), session);
}

const outcomes = (results: readonly StepResult[]) => results.map(({ outcome }) => outcome);

test("Talos shuts a node down without draining it, and its machine is off", async () => {
  const worker = machine("worker-1");
  expect(outcomes(await run(off(worker)))).toEqual(["changed"]);
  expect(log).toEqual(["Talos shuts down worker-1"]);
  expect(changesOf(await makePlan([off(worker)], session))).toEqual([]);
});

test("a machine that is off already is left alone", async () => {
  expect(outcomes(await run(off(machine("worker-1", { on: false, talos: "silent" }))))).toEqual(["unchanged"]);
  expect(log).toEqual([]);
});

test("a node that is already shutting down gets no second call", async () => {
  expect(outcomes(await run(off(machine("worker-1", { talos: "shutting down" }))))).toEqual(["unchanged"]);
  const stuck = machine("worker-2", { talos: "shutting down", isStuck: true });
  expect(outcomes(await run(off(stuck)))).toEqual(["changed"]);
  expect(log).toEqual(["platform shuts down worker-2"]);
});

test("the platform shuts down a machine on which Talos does not answer, and the plan says so", async () => {
  const worker = machine("worker-1", { talos: "silent" });
  const plan = await makePlan([off(worker)], session);
  expect(plan.planned[0]?.findings.map(({ code }) => code)).toEqual(["TALOS_SILENT"]);
  await runPlan(plan, session);
  expect(log).toEqual(["platform shuts down worker-1"]);
});

test("a machine that is booting is shut down through Talos once it answers", async () => {
  session.bus.listen((event) => {
    if (event.type === "step.waiting" && event.condition.startsWith("Talos answers")) of("worker-1").talos = "running";
  });
  await run(off(machine("worker-1", { talos: "silent" })));
  expect(log).toEqual(["Talos shuts down worker-1"]);
});

test("a machine that high availability would start again is shut down by the platform", async () => {
  await run(off(machine("worker-1", { isManaged: true })));
  expect(log).toEqual(["platform shuts down worker-1"]);
});

test("without power control a silent machine counts as off, and one that does not go off fails with a hint", async () => {
  const byHand = { control: undefined };
  const quiet = await makePlan([off(machine("worker-1", { talos: "silent" }), byHand)], session);
  expect([changesOf(quiet), quiet.planned[0]?.findings.map(({ code }) => code)]).toEqual([[], ["POWER_UNKNOWN"]]);
  const [stuck] = await run(off(machine("worker-2", { talos: "shutting down", isStuck: true }), byHand));
  expect([stuck?.error?.code, stuck?.error?.hint]).toEqual(["STILL_RUNNING", expect.stringContaining("switch it off")]);
});

test("control planes go one after the other, and the leader of etcd last", async () => {
  const turns = new ControlPlaneTurns(talos);
  const all = [machine("cp-1", { leads: true }), machine("cp-2"), machine("cp-3")];
  expect(outcomes(await run(...all.map((one) => off(one, { turns }))))).toEqual(["changed", "changed", "changed"]);
  expect(log.at(-1)).toBe("Talos shuts down cp-1");
  expect(log).toHaveLength(3);
});

test("a control plane keeps its turn while its shutdown is tried again", async () => {
  // Slow enough that another one could take the turn between two attempts.
  session = testSession({ timeScale: 100 });
  const turns = new ControlPlaneTurns(talos);
  const all = [machine("cp-1", { losesCalls: 3 }), machine("cp-2")];
  expect(outcomes(await run(...all.map((one) => off(one, { turns }))))).toEqual(["changed", "changed"]);
  expect(log).toEqual(["Talos shuts down cp-1", "Talos shuts down cp-2"]);
});

test("when a control plane cannot be switched off, the others are left running", async () => {
  const turns = new ControlPlaneTurns(talos);
  const failing = { ...control, off: () => Promise.reject(remoteError("BROKEN", { message: "broken", hint: "" })) };
  const leader = machine("cp-1", { leads: true });
  const stuck = machine("cp-2", { talos: "shutting down", isStuck: true });
  const results = await run(...[leader, stuck].map((one) => off(one, { turns, control: failing })));
  expect(results.map(({ error }) => error?.code)).toEqual(["KEPT_RUNNING", "BROKEN"]);
  expect(of("cp-1").on).toBe(true);
});

test("a machine that is off is switched on, and one that runs is left alone", async () => {
  const results = await run(on(machine("cp-1", { on: false, talos: "silent" })), on(machine("cp-2")));
  expect(outcomes(results)).toEqual(["changed", "unchanged"]);
  expect(log).toEqual(["platform starts cp-1"]);
});

test("a machine that is still shutting down is switched on once it is off", async () => {
  const plan = await makePlan([on(machine("cp-1", { talos: "shutting down", isStuck: true }))], session);
  delete of("cp-1").isStuck;
  expect(outcomes(await runPlan(plan, session))).toEqual(["changed"]);
  expect(log).toEqual(["platform starts cp-1"]);
});

test("a machine whose host is offline is planned for, and fails alone", async () => {
  const results = await run(
    on(machine("cp-1", { isHidden: true, talos: "silent" })),
    on(machine("cp-2", { on: false, talos: "silent" })),
  );
  expect(outcomes(results)).toEqual(["failed", "changed"]);
});

test("without power control a machine is waited for, and the wait names it", async () => {
  const waits: string[] = [];
  session.bus.listen((event) => {
    if (event.type !== "step.waiting") return;
    waits.push(event.reason);
    Object.assign(of("cp-1"), { on: true, talos: "running" });
  });
  const results = await run(on(machine("cp-1", { on: false, talos: "silent" }), { control: undefined }));
  expect(outcomes(results)).toEqual(["changed"]);
  expect(waits[0]).toContain("switch on cp-1");
});

async function findingsOfAbandon(...machines: Owned[]) {
  const plan = await makePlan([shutdownsEnded({ talos, control, machines, stage: "preflight" })], session);
  return plan.planned[0]?.findings.map(({ level, code, message }) => [level, code, message]);
}

test("abandoning a stop waits until a node that is shutting down is off, and leaves the others alone", async () => {
  const going = machine("worker-1", { talos: "shutting down", looks: 3 });
  expect(await findingsOfAbandon(going, machine("worker-2"), machine("cp-1", { on: false, talos: "silent" }))).toEqual([]);
  expect([of("worker-1").on, of("worker-2").on, log]).toEqual([false, true, []]);
});

test.each<[string, Partial<Machine>]>([
  ["never finishes shutting down", { talos: "shutting down", isStuck: true }],
  ["is on and silent", { talos: "silent" }],
])("abandoning a stop goes on with a warning when a machine %s", async (_, state) => {
  const expected = ["warn", "STILL_RUNNING", expect.stringContaining("worker-1 (VM of worker-1) has not shut down")];
  expect(await findingsOfAbandon(machine("worker-1", state))).toEqual([expected]);
});
