import { expect, test } from "vitest";
import type { Deletion } from "../engine/deletion.ts";
import type { Event } from "../engine/event.ts";
import type { Plan } from "../engine/plan.ts";
import type { Change } from "../engine/step.ts";
import type { PastRun } from "../environment/runs.ts";
import { plannedChange, plan as shownPlan } from "../views/testing/script.ts";
import { unknownDisks, unnamedDisks } from "./foreign-disks.ts";

const disk = (slot: string, ...move: string[]): Deletion => ({
  ...{ node: "worker-1", slot, volume: `local-lvm:vm-100-${slot}`, bytes: 1024 ** 3 },
  ...(move.length > 0 && { foreign: { host: "pve2", move } }),
});
const deletes = [disk("scsi0"), disk("scsi5", "make room", "move scsi5"), disk("scsi6", "make room", "move scsi6")];

function planOf(...changes: Partial<Change>[]): Plan {
  const change = { id: "s", step: "s", verb: "delete", subject: "machine worker-1", fields: [] } as const;
  return { planned: [{ changes: changes.map((one) => ({ ...change, ...one })) }] } as unknown as Plan;
}

test("a command that several disks need is printed once, and a disk named in a flag is not mentioned", () => {
  const [both] = unnamedDisks(planOf({ deletes }), []);
  expect(both?.report()).toMatchObject({
    code: "FOREIGN_DISK",
    message: expect.stringContaining("Unable to remove machine worker-1: it has 2 disks that talosmith did not make"),
    detail: "worker-1/scsi5: local-lvm:vm-100-scsi5, 1 GiB\nworker-1/scsi6: local-lvm:vm-100-scsi6, 1 GiB",
    hint: `as root on pve2, to keep them on a VM of their own:
  make room
  move scsi5
  move scsi6
or, to delete them, add:  --destroy-disk worker-1/scsi5 --destroy-disk worker-1/scsi6
Nothing was changed.`,
  });
  const [one] = unnamedDisks(planOf({ deletes, verb: "replace" }), ["worker-1/scsi5"]);
  expect(one?.message).toContain("Unable to replace machine worker-1: it has a disk");
  expect(one?.hint).not.toContain("scsi5");
  expect(unnamedDisks(planOf({ deletes }, {}), ["worker-1/scsi6", "worker-1/scsi5"])).toEqual([]);
});

const run = (outcome: "ok" | "failed" | undefined, ...slots: string[]): PastRun => ({
  ...{ id: "r", folder: "r", gap: () => undefined },
  events: () =>
    [
      {
        type: "result",
        result: shownPlan([plannedChange("provision", "delete", "m", [], { deletes: slots.map((s) => disk(s)) })]),
      },
      ...(outcome ? [{ type: "run.finished", outcome }] : []),
    ] as Event[],
});

test("an unknown disk is refused with a list of the disks", () => {
  const named = ["worker-1/scsi5", "worker-1/scsi9"];
  const [unknown] = unknownDisks(planOf({ deletes: deletes.slice(0, 2) }), named, () => []);
  expect(unknown?.report()).toMatchObject({
    code: "UNKNOWN_DISK",
    message: "There is no disk worker-1/scsi9 that this command would delete",
    detail: "it would delete:\nworker-1/scsi0: local-lvm:vm-100-scsi0, 1 GiB\nworker-1/scsi5: local-lvm:vm-100-scsi5, 1 GiB",
  });
  expect(unknownDisks(planOf({}), ["x/scsi1"], () => [])[0]?.detail).toBe("it would delete no disks");
});

test("a disk that a failed run was to delete may be named again", () => {
  const refused = (...runs: PastRun[]) => unknownDisks(planOf({}), ["worker-1/scsi5"], () => runs).length;
  expect(refused(run(undefined, "scsi0"), run("failed", "scsi5"))).toBe(0);
  expect(refused(run(undefined), run("ok", "scsi5"))).toBe(0);
  expect(refused(run("ok"), run("failed", "scsi5"))).toBe(1);
});
