import * as fc from "fast-check";
import { expect, test } from "vitest";
import { macFor, vmidsFor } from "./identity.ts";

test("ids come in the same order every time, and are ids Proxmox takes (100 to 999999999)", () => {
  const some = () => {
    const ids = vmidsFor("lab-12345678", "cp-1");
    return Array.from({ length: 20 }, () => ids.next().value as number);
  };
  expect(some()).toEqual(some());
  expect(some().every((id) => id >= 100 && id <= 999_999_999)).toBe(true);
});

test("another node or another environment has another sequence", () => {
  const first = (environment: string, node: string) => vmidsFor(environment, node).next().value;
  expect(new Set([first("a-1", "n"), first("a-2", "n"), first("a-1", "m")]).size).toBe(3);
});

test("a MAC is unicast, locally administered, and its node's own", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (environment, node) => {
      const mac = macFor(environment, node);
      expect(mac).toMatch(/^02(:[0-9A-F]{2}){5}$/);
      expect(macFor(environment, `${node}x`)).not.toBe(mac);
    }),
  );
});
