import * as fc from "fast-check";
import { expect, test } from "vitest";
import { driftSince } from "./refine.ts";
import type { Change } from "./step.ts";

const create = (fields: Change["fields"]): Change => ({ id: "s", step: "s", verb: "create", subject: "machine a", fields });

test("a value that was known later may be filled in", () => {
  const printed = [create([{ path: "vmid", from: null, to: { later: "secrets" } }])];
  expect(driftSince(printed, [create([{ path: "vmid", from: null, to: 104 }])])).toBeUndefined();
});

test("a known value may not change", () => {
  const printed = [create([{ path: "memory", from: null, to: "8 GiB" }])];
  expect(driftSince(printed, [create([{ path: "memory", from: null, to: "4 GiB" }])])).toBe(
    'machine a: memory would now become "4 GiB"',
  );
});

test("another verb on the same subject was not in the plan", () => {
  expect(driftSince([create([])], [{ ...create([]), verb: "replace" }])).toBe("replace machine a was not in the plan");
});

test("a field that differs on top of the printed ones stops", () => {
  const printed = [create([{ path: "memory", from: 1, to: 2 }])];
  expect(
    driftSince(printed, [
      create([
        { path: "memory", from: 1, to: 2 },
        { path: "cores", from: 1, to: 2 },
      ]),
    ]),
  ).toBe("machine a: cores differs too");
});

test("fields and changes that are no longer needed do not stop a run", () => {
  const fields = ["memory", "cores"].map((path) => ({ path, from: 1, to: 2 }));
  expect(driftSince([create(fields)], [create(fields.slice(1))])).toBeUndefined();
  expect(driftSince([create(fields), { ...create(fields), subject: "machine b" }], [create(fields)])).toBeUndefined();
});

const volume = (slot: string) => ({ node: "a", slot, volume: `local-lvm:vm-100-${slot}` });
const remove = (...slots: string[]): Change => ({ ...create([]), verb: "delete", deletes: slots.map(volume) });

test("a volume that the plan did not list stops; one that is not there any more does not", () => {
  expect(driftSince([remove("scsi0")], [remove("scsi0", "scsi5")])).toBe(
    "machine a: scsi5 (local-lvm:vm-100-scsi5) would now be deleted with it",
  );
  expect(driftSince([remove("scsi0", "scsi5")], [remove("scsi0")])).toBeUndefined();
});

test("an unreadable resource may turn out to be new or changed, in any field", () => {
  const printed = [create([{ path: "config", from: { later: "s" }, to: "worker" }])];
  expect(driftSince(printed, [{ ...create([{ path: "hostname", from: "x", to: "y" }]), verb: "update" }])).toBeUndefined();
  expect(driftSince(printed, [create([{ path: "config", from: null, to: "worker" }])])).toBeUndefined();
});

test("an unreadable resource is never planned for deletion", () => {
  const printed = [create([{ path: "config", from: { later: "s" }, to: "worker" }])];
  expect(driftSince(printed, [{ ...create([]), verb: "delete" }])).toBe("delete machine a was not in the plan");
});

/** As it is printed when the resource could not be observed. */
const vague = (verb: Change["verb"]): Change => ({ ...create([{ path: "config", from: { later: "s" }, to: 1 }]), verb });

test.each<[Change, Change["verb"], boolean]>([
  [vague("create"), "update", true],
  [vague("update"), "create", true],
  [vague("restart"), "restart", true],
  [vague("create"), "restart", false],
  [vague("restart"), "create", false],
  [vague("run"), "restart", false],
  [create([{ path: "config", from: null, to: 1 }]), "update", false],
])(
  "of what the plan could not observe only making may turn out to be another kind of making: %j, now %s",
  (printed, verb, ok) => {
    const now = { ...create([{ path: "config", from: null, to: 1 }]), verb };
    expect(driftSince([printed], [now])).toBe(ok ? undefined : `${verb} machine a was not in the plan`);
  },
);

test("an unreadable resource keeps the volumes that the plan did not list", () => {
  const printed = [{ ...vague("update"), deletes: [volume("scsi0")] }];
  expect(driftSince(printed, [{ ...create([]), deletes: [volume("scsi5")] }])).toContain("scsi5");
});

test("a change of another subject was not in the plan", () => {
  expect(driftSince([create([])], [{ ...create([]), subject: "machine b" }])).toBe("create machine b was not in the plan");
});

test("what came after an unreadable resource in the plan is compared as well", () => {
  const printed = [vague("update"), { ...create([{ path: "memory", from: 1, to: 2 }]), subject: "machine b" }];
  const now = [create([]), { ...create([{ path: "memory", from: 7, to: 2 }]), subject: "machine b" }];
  expect(driftSince(printed, now)).toBe("machine b: memory is now 7");
});

const json = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const field = fc.record({ path: fc.constantFrom("a", "b", "c"), from: json, to: json });
const change = fc.record({
  id: fc.constant("s"),
  step: fc.constant("s"),
  verb: fc.constantFrom("create" as const, "update" as const),
  subject: fc.constantFrom("x", "y"),
  fields: fc.uniqueArray(field, { selector: (one) => one.path }),
});
const changes = fc.uniqueArray(change, { selector: (one) => `${one.verb} ${one.subject}` });

test("every list refines itself", () => {
  fc.assert(fc.property(changes, (list) => driftSince(list, list) === undefined));
});

test("changes refine the printed ones when each of them was printed with the same values, and only then", () => {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  fc.assert(
    fc.property(changes, changes, (printed, now) => {
      const wasPrinted = now.every(({ verb, subject, fields }) =>
        printed.some(
          (one) =>
            one.verb === verb &&
            one.subject === subject &&
            fields.every((field) => one.fields.some((other) => same(other, field))),
        ),
      );
      return (driftSince(printed, now) === undefined) === wasPrinted;
    }),
  );
});
