import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import type { Event } from "../engine/event.ts";
import type { Environment } from "../environment/environment.ts";
import type { Inventory, Owned } from "../platforms/platform.ts";
import { powerOperation } from "./power-target.ts";

const env = { config: { nodes: [{ name: "cp-1", role: "controlplane", ip: "10.0.0.1" }] } } as unknown as Environment;
const owned = (name: string, instance?: string, address = name): Owned =>
  ({
    ...{ name, role: "worker", address, where: "VM 7 on pve1", detail: { vmid: 7 } },
    ...(instance !== undefined && { instance }),
  }) as unknown as Owned;
const found = (rest: Partial<Inventory>): Inventory => ({ environment: "e", owned: [], there: new Set(), foreign: [], ...rest });

function stopOf(target: object | undefined, inventory: Inventory) {
  const session = testSession();
  const notices: string[] = [];
  session.bus.listen((event: Event) => event.type === "notice" && notices.push(event.message));
  const stop = powerOperation(session, "stop");
  stop.aim(env, inventory, target as never);
  return { stop, notices, machines: stop.current().machines };
}

test("the target names every machine of the cluster and where to find it again, silent ones included", () => {
  const { stop } = stopOf(undefined, found({ owned: [owned("worker-1", "a")], silent: ["cp-1"] }));
  expect(stop.target(env)).toEqual({
    machines: [
      { name: "worker-1", role: "worker", address: "worker-1", instance: "a", where: "VM 7 on pve1", detail: { vmid: 7 } },
      { name: "cp-1", role: "controlplane", address: "10.0.0.1", where: "at 10.0.0.1", detail: {} },
    ],
  });
});

test("a resumed operation keeps its own machines, and reports the others that it leaves unchanged", () => {
  const target = { machines: [{ name: "worker-1", role: "worker", address: "worker-1", instance: "a" }] };
  const { machines, notices } = stopOf(target, found({ owned: [owned("worker-1", "a"), owned("worker-2", "b")] }));
  expect(machines.map(({ name }) => name)).toEqual(["worker-1"]);
  expect(notices).toEqual([expect.stringContaining("left alone: worker-2")]);
});

test("another machine of the same name is not touched by a resumed operation", () => {
  const target = { machines: [{ name: "worker-1", role: "worker", address: "worker-1", instance: "a" }] };
  const { machines } = stopOf(target, found({ owned: [owned("worker-1", "z")] }));
  expect(machines).toMatchObject([{ instance: "a", detail: {} }]);
});

test("a machine missing from the inventory is addressed as the target recorded it", () => {
  const machine = {
    name: "worker-1",
    role: "worker",
    address: "worker-1",
    instance: "a",
    where: "VM 7 on pve1",
    detail: { vmid: 7 },
  };
  const { machines } = stopOf({ machines: [machine] }, found({}));
  expect(machines).toMatchObject([{ where: "VM 7 on pve1", detail: { vmid: 7 } }]);
});

test("a machine keeps its address from the target although the config has changed", () => {
  const target = { machines: [{ name: "worker-1", role: "worker", address: "10.0.0.9" }] };
  const { machines } = stopOf(target, found({ owned: [owned("worker-1", undefined, "10.0.0.10")] }));
  expect(machines).toMatchObject([{ address: "10.0.0.9" }]);
});

test("start replaces an interrupted stop, and stop an interrupted start", () => {
  const session = testSession();
  expect(powerOperation(session, "start").supersedes).toEqual(["stop"]);
  expect(powerOperation(session, "stop").supersedes).toEqual(["start"]);
});
