import type { Recorded } from "@talosmith/lab/kernel/kernel.ts";
import { expect, test } from "vitest";
import { chooseFaults } from "./faults.ts";

const lab = { refusals: () => ({ proxmox: { locked: { status: 500, message: "can't lock file", when: "another task runs" } } }) };
const call = (n: number, more: Partial<Recorded> = {}): Recorded => {
  return { n, at: n, service: "proxmox", site: "GET /nodes/:node", resource: `node ${n % 10}`, mutating: false, ...more };
};
const calls = Array.from({ length: 100 }, (_, n) => call(n));

test("the same seed chooses the same calls and faults, in whatever order the calls were made; another seed others", async () => {
  const [once, again, other] = await Promise.all([
    chooseFaults(lab, calls, 8, "7"),
    chooseFaults(lab, [...calls].reverse(), 8, "7"),
    chooseFaults(lab, calls, 8, "8"),
  ]);
  expect(once).toHaveLength(8);
  expect(again).toEqual(once);
  expect(other).not.toEqual(once);
});

test("each fault breaks one call, and calls from inside the lab and repetitions of a wait are left alone", async () => {
  const inside = Array.from({ length: 50 }, (_, n) => call(n, { service: "kubernetes", inside: true }));
  const rules = await chooseFaults(lab, [...calls, ...inside], 1000, "7");
  expect(rules).toHaveLength(20);
  expect(rules.filter(({ service, occurrence = 0 }) => service !== "proxmox" || occurrence > 2)).toEqual([]);
  expect(new Set(rules.map(({ fault }) => fault.kind))).toEqual(new Set(["cut-before", "cut-after", "delay", "drip", "refuse"]));
});
