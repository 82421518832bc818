import { expect, test } from "vitest";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { spread } from "./spread.ts";
import { testNode } from "./testing/test-node.ts";

const node = (name: string, role: ProxmoxNodeConfig["role"], host?: string) => testNode({ name, role, ...(host && { host }) });

test("control planes get a host each before any host gets two", () => {
  const nodes = [node("w-1", "worker"), node("cp-1", "controlplane"), node("cp-2", "controlplane"), node("cp-3", "controlplane")];
  expect(Object.fromEntries(spread(nodes, ["a", "b", "c"]))).toEqual({ "cp-1": "a", "cp-2": "b", "cp-3": "c", "w-1": "a" });
});

test("a node that names its host gets it", () => {
  expect(spread([node("cp-1", "controlplane", "c"), node("w-1", "worker")], ["a", "b", "c"])).toEqual(
    new Map([
      ["cp-1", "c"],
      ["w-1", "a"],
    ]),
  );
});
