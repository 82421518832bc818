import type { Socket } from "node:net";
import type { Dial } from "@talosmith/lib/world/world.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../../test/support/toy.ts";
import type { FirewallConfig } from "../../../config/config.ts";
import { readContext } from "../../../engine/context.ts";
import type { Inventory, Owned } from "../../platform.ts";
import type { ConfigOnVps } from "../config/config-on-vps.ts";
import { plainVpsNode } from "../config/testing/plain-node.ts";
import { outsideCheck } from "./outside.ts";
import { vpsConfig, vpsEnvironment } from "./testing/vps-config.ts";

const ADDRESS = "203.0.113.11";

/** Checks a node that listens on these ports; all others refuse or do not answer. */
async function look(ports: number[], own: Partial<ConfigOnVps> = {}, others: "refuse" | "silent" = "refuse") {
  const session = testSession({ timeScale: 1000 });
  const dialled: number[] = [];
  const net = {
    ...session.world.net,
    dial: (to: Dial, signal?: AbortSignal) => {
      expect(to.host).toBe(ADDRESS);
      dialled.push(to.port);
      if (ports.includes(to.port)) return Promise.resolve({ destroy: () => {} } as unknown as Socket);
      if (others === "refuse") return Promise.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
      return new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  const nodes = [
    plainVpsNode({ name: "cp-1", role: "controlplane", ip: ADDRESS }),
    plainVpsNode({ name: "worker-1", role: "worker", ip: "203.0.113.21" }),
  ];
  const env = vpsEnvironment(vpsConfig({ nodes, ...own }));
  const found: Inventory = { environment: "e", owned: [{ name: "cp-1" } as Owned], there: new Set(["cp-1"]), foreign: [] };
  const c = readContext({ ...session, world: { ...session.world, net } }, "doctor/outside", new Map(), new Map());
  return { findings: await outsideCheck(env, found).run(c), dialled };
}

test("only nodes that run Talos are checked, and ports for administrators are no finding", async () => {
  const { findings, dialled } = await look([6443, 50_000]);
  expect(findings.map(({ level }) => level)).toEqual(["ok", "ok"]);
  expect(findings[0]?.message).toContain("only 6443, 50000 answer from here");
  expect(findings[1]?.message).toContain("inside firewall.admin");
  expect(dialled).toEqual([...new Set(dialled)]);
  expect(dialled).toEqual(expect.arrayContaining([22, 2379, 2380, 10_250, 50_001]));
});

test.each([
  [10_250, "kubelet"],
  [2379, "etcd"],
  [22, "SSH"],
  [50_001, "trustd"],
])("port %i (%s) that answers is a failure that says what to do", async (port, what) => {
  const { findings } = await look([port, 50_000]);
  expect(findings[0]).toMatchObject({
    level: "fail",
    code: "EXPOSED_PORT",
    message: expect.stringContaining(`cp-1 (${ADDRESS}) answers at TCP port ${port} (${what})`),
    hint: expect.stringContaining(`tcp ${port}`),
  });
});

test("silence is as good as a refusal, and ends", async () => {
  const { findings } = await look([50_000], {}, "silent");
  expect(findings[0]).toMatchObject({ level: "ok", message: expect.stringContaining("only 50000 answer") });
});

const opening = (role?: "worker"): FirewallConfig => ({
  admin: ["198.51.100.0/24"],
  open: [{ name: "web", ports: ["443", "8080-8090"], protocol: "tcp", from: ["0.0.0.0/0"], ...(role && { on: role }) }],
});

test("declared ports are tried too, and may answer", async () => {
  const { findings, dialled } = await look([443, 8085, 50_000], { firewall: opening() });
  expect(findings[0]).toMatchObject({ level: "ok", message: expect.stringContaining("only 443, 8085, 50000 answer") });
  expect(dialled).toContain(8085);
});

test("a port that is declared for workers may not answer at a control plane", async () => {
  const { findings } = await look([443, 50_000], { firewall: opening("worker") });
  expect(findings[0]).toMatchObject({ level: "fail", code: "EXPOSED_PORT" });
});

test("without a configured firewall an open port is only a warning", async () => {
  const { firewall: _, ...bare } = vpsConfig();
  const { findings } = await look([10_250], {
    ...bare,
    firewall: undefined,
    nodes: [plainVpsNode({ name: "cp-1", role: "controlplane", ip: ADDRESS })],
  } as never);
  expect(findings[0]).toMatchObject({
    level: "warn",
    code: "EXPOSED_PORT",
    hint: expect.stringContaining("firewall.enabled is false"),
  });
});
