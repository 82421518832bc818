import fc from "fast-check";
import { expect, test } from "vitest";
import { checkFaultRules } from "./fault-rules.ts";
import { addRules, meetFault, noFaults, setRules } from "./faults.ts";
import type { Call, Fault, FaultRule } from "./kernel.ts";

const call = (resource: string, site = "POST /nodes/:node/qemu"): Call => ({
  service: "proxmox",
  site,
  resource,
  mutating: true,
});

function meeting(rules: FaultRule[], calls: Call[], seed = "seed"): (Fault["kind"] | undefined)[] {
  const faults = noFaults();
  setRules(faults, rules);
  return calls.map((it) => meetFault(faults, seed, it)?.kind);
}

test("an occurrence rule fires at the n-th matching call and at no other", () => {
  const met = meeting(
    [{ occurrence: 2, resource: "vm 1", fault: { kind: "cut-after" } }],
    [call("vm 1"), call("vm 2"), call("vm 1"), call("vm 1")],
  );
  expect(met).toEqual([undefined, undefined, "cut-after", undefined]);
});

test("with a wildcard the n-th call is counted over all resources", () => {
  const met = meeting(
    [{ occurrence: 3, resource: "vm *", fault: { kind: "cut-after" } }],
    ["vm 1", "vm 2", "vm 3"].map((it) => call(it)),
  );
  expect(met).toEqual([undefined, undefined, "cut-after"]);
});

test("a rule can match a command by its text, even when the text contains stars", () => {
  const asked = (command?: string): Call => ({ ...call("vps-1: dd", "exec"), ...(command !== undefined && { command }) });
  const looks = `grep -H . ${"/sys/block/*/dev ".repeat(40)}`;
  const met = meeting(
    [
      { command: "*reboot*", fault: { kind: "cut-after" } },
      { command: looks, fault: { kind: "cut-before" } },
    ],
    [asked(), asked("sync; reboot -f"), asked("dd if=/dev/sda"), asked(`${looks}x`.repeat(40)), asked(looks)],
  );
  expect(met).toEqual([undefined, "cut-after", undefined, undefined, "cut-before"]);
});

test("a star matches any text, as in a regular expression", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }), (resource, text) => {
      const met = meeting([{ resource, fault: { kind: "cut-after" } }], [call(text)]);
      expect(met[0] !== undefined).toBe(new RegExp(`^${resource.replaceAll("*", ".*")}$`).test(text));
    }),
  );
});

test("occurrences are counted from when the rules were set", () => {
  const faults = noFaults();
  meetFault(faults, "seed", call("vm 1"));
  setRules(faults, [{ occurrence: 1, fault: { kind: "cut-before" } }]);
  expect(meetFault(faults, "seed", call("vm 1"))?.kind).toBe("cut-before");
});

test("a rule fires at most `times` times, and the next rule takes over", () => {
  const met = meeting(
    [
      { times: 2, fault: { kind: "cut-after" } },
      { times: 1, fault: { kind: "cut-before" } },
    ],
    ["vm 1", "vm 2", "vm 3", "vm 4"].map((it) => call(it)),
  );
  expect(met).toEqual(["cut-after", "cut-after", "cut-before", undefined]);
});

test("added rules do not change the counts of the others", () => {
  const faults = noFaults();
  setRules(faults, [{ occurrence: 1, resource: "vm 1", fault: { kind: "cut-before" } }]);
  meetFault(faults, "seed", call("vm 1"));
  addRules(faults, [{ occurrence: 1, fault: { kind: "cut-after" } }]);
  expect(meetFault(faults, "seed", call("vm 1"))?.kind).toBe("cut-after");
  expect(faults.rules.map(({ matched, fired }) => [matched, fired])).toEqual([
    [2, 1],
    [1, 1],
  ]);
});

test.each([
  ["POST *", true],
  ["POST /nodes/:node/qemu", true],
  ["*qemu", true],
  ["*", true],
  ["POST /nodes/:node", false],
  ["GET *", false],
  ["POST /nodes/.node/qemu", false],
])("the site pattern %s matches POST /nodes/:node/qemu: %s", (site, fires) => {
  expect(meeting([{ site, fault: { kind: "cut-before" } }], [call("vm 1")])).toEqual([fires ? "cut-before" : undefined]);
});

test("a rule for another service does not fire", () => {
  expect(meeting([{ service: "factory", fault: { kind: "cut-before" } }], [call("vm 1")])).toEqual([undefined]);
});

test("the same seed gives the same faults whatever the order of the calls", () => {
  const rules: FaultRule[] = [{ probability: 0.5, fault: { kind: "cut-after" } }];
  const calls = Array.from({ length: 60 }, (_, n) => call(`vm ${n % 12}`));
  const fates = (order: Call[]) => {
    const met = meeting(rules, order);
    const byResource: Record<string, unknown[]> = {};
    for (const [n, it] of order.entries()) {
      byResource[it.resource] ??= [];
      byResource[it.resource]?.push(met[n]);
    }
    return byResource;
  };
  fc.assert(
    fc.property(fc.shuffledSubarray(calls, { minLength: calls.length }), (shuffled) => {
      expect(fates(shuffled)).toEqual(fates(calls));
    }),
  );
});

test("another seed gives other faults", () => {
  const calls = Array.from({ length: 64 }, (_, n) => call(`vm ${n}`));
  const rules: FaultRule[] = [{ probability: 0.5, fault: { kind: "cut-after" } }];
  expect(meeting(rules, calls, "one")).not.toEqual(meeting(rules, calls, "two"));
});

test("each of several rules by probability gets its share", () => {
  const calls = Array.from({ length: 4000 }, (_, n) => call(`vm ${n}`));
  const rules: FaultRule[] = [
    { probability: 0.1, fault: { kind: "cut-before" } },
    { probability: 0.3, fault: { kind: "cut-after" } },
  ];
  const met = meeting(rules, calls);
  const share = (kind: string) => met.filter((it) => it === kind).length / calls.length;
  expect(share("cut-before")).toBeCloseTo(0.1, 1);
  expect(share("cut-after")).toBeCloseTo(0.3, 1);
});

test("probability 0 never fires, 1 always", () => {
  const calls = Array.from({ length: 200 }, (_, n) => call(`vm ${n}`));
  expect(new Set(meeting([{ probability: 0, fault: { kind: "cut-before" } }], calls))).toEqual(new Set([undefined]));
  expect(new Set(meeting([{ probability: 1, fault: { kind: "cut-before" } }], calls))).toEqual(new Set(["cut-before"]));
});

test.each([
  [[{ fault: { kind: "explode" } }], "0.fault.kind"],
  [[{ site: "x", fault: { kind: "cut-before" }, when: 1 }], "when"],
  [[{ occurrence: 1, probability: 0.5, fault: { kind: "cut-before" } }], "choose one"],
  [[{ occurrence: 0, fault: { kind: "cut-before" } }], "0.occurrence"],
  [[{ times: 0, fault: { kind: "cut-before" } }], "0.times"],
  [[{ fault: { kind: "drip", bytes: 0 } }], "0.fault.bytes"],
  [[{ fault: { kind: "refuse", status: 300, message: "" } }], "0.fault.status"],
  ["nonsense", "rules"],
])("invalid rules are refused with the path of the error: %j", (rules, where) => {
  expect(() => checkFaultRules(rules)).toThrow(expect.objectContaining({ kind: "user", detail: expect.stringContaining(where) }));
});
