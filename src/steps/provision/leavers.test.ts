import { expect, test } from "vitest";
import type { Environment } from "../../environment/environment.ts";
import type { Inventory, Owned } from "../../platforms/platform.ts";
import { leaversOf, withoutReplaced } from "./leavers.ts";

const node = (name: string, role: string, ip: string) => ({ name, role, ip });
const owned = (name: string, role: string, address: string, bootstrapped = role === "controlplane") =>
  ({ name, role, address, bootstrapped }) as Owned;
const among = (nodes: readonly object[], machines: readonly Owned[]) => {
  const env = { config: { nodes } } as unknown as Environment;
  const there = new Set(machines.map(({ name }) => name));
  const found: Inventory = { environment: "e", owned: machines, there, foreign: [] };
  return { found, leavers: leaversOf(env, found) };
};
const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

test("a machine that is as the config says stays", () => {
  const { leavers } = among([node("cp-1", "controlplane", "10.0.0.1")], [owned("cp-1", "controlplane", "10.0.0.1")]);
  expect(leavers).toMatchObject({ removed: [], replaced: [], bootstrapped: true, etcdIsLost: false });
  expect(names(leavers.staying)).toEqual(["cp-1"]);
});

test("another name is a removal; another address or role, a replacement", () => {
  const { found, leavers } = among(
    [node("cp-1", "controlplane", "10.0.0.1"), node("w-1", "worker", "10.0.0.9"), node("w-2", "controlplane", "10.0.0.4")],
    [
      owned("cp-1", "controlplane", "10.0.0.1"),
      owned("w-1", "worker", "10.0.0.3"),
      owned("w-2", "worker", "10.0.0.4"),
      owned("w-3", "worker", "10.0.0.5"),
    ],
  );
  expect([names(leavers.removed), names(leavers.replaced)]).toEqual([["w-3"], ["w-1", "w-2"]]);
  expect([...withoutReplaced(found, leavers).there]).toEqual(["cp-1", "w-3"]);
});

test("a change that needs a new machine is a replacement too", () => {
  const { leavers } = among([node("w-1", "worker", "10.0.0.3")], [{ ...owned("w-1", "worker", "10.0.0.3"), remade: true }]);
  expect(names(leavers.replaced)).toEqual(["w-1"]);
});

test("etcd is lost when no control plane stays that could have it", () => {
  const { leavers } = among([node("cp-1", "controlplane", "10.0.0.2")], [owned("cp-1", "controlplane", "10.0.0.1")]);
  expect(leavers.etcdIsLost).toBe(true);
});

test("nothing is lost where etcd was never made", () => {
  const before = [owned("cp-1", "controlplane", "10.0.0.1", false)];
  expect(among([node("cp-1", "controlplane", "10.0.0.2")], before).leavers.etcdIsLost).toBe(false);
});
