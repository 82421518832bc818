import { expect, test } from "vitest";
import { Shelf, testSession } from "../../test/support/toy.ts";
import { VolatileFiles } from "../../test/support/volatile-files.ts";
import { check } from "../engine/step.ts";
import { type Lock, lockEnvironment, takeLockAway } from "../environment/lock.ts";
import { reportView } from "../views/report-view.ts";
import { bringUp } from "./bring-up.ts";
import { runMutatingCommand } from "./mutating-command.ts";
import { planEnvironment } from "./plan.ts";
import { ALL_STAGES } from "./stages.ts";
import type { Workflow } from "./workflow.ts";

const FOLDER = "/env";
const STAGES = { from: "preflight", until: "generate" } as const;
const config = (name: string) => `platform: metal
cluster: { name: ${name}, endpoint: 127.9.9.11, talos: v1.13.9 }
network: { cidr: 127.9.9.0/24, gateway: 127.9.9.250 }
nodes: [{ name: cp-1, role: controlplane, ip: 127.9.9.11 }]
`;

function configured(name = "homelab", files = new VolatileFiles()): VolatileFiles {
  files.makeFolder(FOLDER, 0o700);
  files.syncFolder("/");
  files.write(`${FOLDER}/config.yaml`, Buffer.from(config(name)), 0o644);
  return files;
}

const up = (session: ReturnType<typeof testSession>, during: () => void = () => {}) =>
  bringUp(
    session,
    FOLDER,
    {
      stages: STAGES,
      allowRemove: [],
      confirm: async () => {
        during();
        return true;
      },
    },
    reportView(),
  );

const errorCodes = (session: ReturnType<typeof testSession>) =>
  session.events.flatMap((event) => (event.type === "error" ? [event.error.code] : []));

test("a command whose lock is taken away while it runs stops before its next change", async () => {
  const files = configured();
  const session = testSession({ files, self: { host: "laptop" } });
  const desk = testSession({ files, self: { host: "desk", bootId: "b", machineId: "m" }, seed: "other" });
  let other: Lock | undefined;
  const taken = () => {
    files.now += 3_600_000;
    takeLockAway(desk.world, FOLDER);
    other = lockEnvironment(desk.world, FOLDER, "down");
  };
  expect(await up(session, taken)).toBe(1);
  expect(errorCodes(session)).toContain("LOCK_LOST");
  expect(session.events.filter((event) => event.type === "mutation.intent")).toEqual([]);
  expect(files.stat(`${FOLDER}/secrets.yaml`)).toBeUndefined();
  // And it does not give back what is not its own.
  expect(() => other?.check()).not.toThrow();
  other?.release();
});

test("a clock that was never set stops everything that would make certificates", async () => {
  const files = configured();
  const session = testSession({ files });
  const world = { ...session.world, clock: { ...session.world.clock, now: () => 86_400_000 } };
  await expect(up({ ...session, world })).rejects.toMatchObject({ code: "CLOCK_UNSET" });
  expect(files.list(FOLDER)).toEqual(["config.yaml"]);
});

test("once up, another cluster.name is refused before anything is contacted, by up and by plan", async () => {
  const files = configured();
  expect(await up(testSession({ files }))).toBe(0);
  configured("other", files);
  const dialled: unknown[] = [];
  const session = testSession({ files, self: { pid: 2 } });
  const net = { ...session.world.net, dial: (to: unknown) => dialled.push(to) as never };
  const watched = { ...session, world: { ...session.world, net } };
  await expect(up(watched)).rejects.toMatchObject({ code: "COPIED_FOLDER" });
  await expect(planEnvironment(watched, FOLDER, STAGES)).rejects.toMatchObject({
    code: "COPIED_FOLDER",
    where: expect.objectContaining({ line: 2 }),
  });
  expect(dialled).toEqual([]);
});

test("a command is at rest when it changes nothing and the last run succeeded", async () => {
  const files = configured();
  const shelf = new Shelf();
  let number = 1;
  let fails = false;
  const seen: boolean[] = [];
  const workflow: Workflow = ({ atRest }) => [
    shelf.step("a", number),
    check({
      ...{ id: "verify/a", stage: "verify", title: "a" },
      run: async () => {
        seen.push(atRest?.() ?? false);
        return fails ? [{ level: "fail", code: "A", message: "a is wrong" }] : [];
      },
    }),
  ];
  const run = () => {
    const wish = { workflow, stages: ALL_STAGES };
    const done = () => ({ summary: "done", next: [] });
    const command = { command: "up", wish, allowRemove: [], confirm: async () => true, nothingToDo: () => "", done };
    return runMutatingCommand(testSession({ files }), FOLDER, command, reportView());
  };
  expect([await run(), await run()]).toEqual([0, 0]);
  number = 2;
  expect([await run(), await run()]).toEqual([0, 0]);
  fails = true;
  expect([await run(), await run()]).toEqual([1, 1]);
  // It changed something; it did not; it did; it did not; it did not; the run before it failed.
  expect(seen).toEqual([false, true, false, true, true, false]);
});
