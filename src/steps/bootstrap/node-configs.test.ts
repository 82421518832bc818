import { remoteError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { plainNode } from "../../config/testing/plain-node.ts";
import { writeContext } from "../../engine/context.ts";
import { withoutCluster } from "../../maintenance/maintenance.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { MachineConfig } from "../../talos/config/machine-config.ts";
import { nodeConfigs } from "./node-configs.ts";

const MAIN = { version: "v1alpha1", machine: { type: "controlplane" } };
const RUNNING = MachineConfig.of([MAIN]);
const WITH_FIREWALL = MachineConfig.of([MAIN, { apiVersion: "v1alpha1", kind: "NetworkDefaultActionConfig", ingress: "block" }]);

// Seen on real Talos machines: after one CUT_OFF the next control plane was tried as well.
test("a network that made one node unreachable is not tried on the others of the same run", async () => {
  const nodes = [1, 2].map((n) => plainNode({ name: `cp-${n}`, role: "controlplane", ip: `10.0.0.${n}` }));
  const session = testSession({ timeScale: 10_000 });
  const tried: string[] = [];
  /** New connections get no answer until Talos reverts the trial after three minutes. */
  let triedAt = 0;
  const node = (ip: string) =>
    ({
      version: async () => ({ version: "v1.13.9", platform: "metal", mode: "metal" }),
      machineConfigs: async () => ({ running: RUNNING, stored: RUNNING }),
      services: async () => [],
      resources: async () => [],
      apply: async () => {
        tried.push(ip);
        triedAt = session.world.clock.monotonic();
        return { rebooting: false, details: "", warnings: [] };
      },
    }) as Partial<TalosNode> as TalosNode;
  const machineConfigs = async () => {
    if (session.world.clock.monotonic() - triedAt >= 3 * 60_000) return { running: RUNNING, stored: RUNNING };
    throw remoteError("TALOS_UNREACHABLE", { message: "no answer", transient: true });
  };
  const talos = {
    node,
    probe: async () => ({ is: "ours" }),
    afresh: () => ({ node: { machineConfigs } as Partial<TalosNode> as TalosNode, close: () => {} }),
  } as unknown as TalosNodes;
  const given = {
    env: { config: { nodes, cluster: { talos: "v1.13.9" }, image: { factory: "https://factory.talos.dev" } } },
    platform: { machine: (name: string) => ({ step: `provision/${name}` }) },
    found: { there: new Set(["cp-1", "cp-2"]) },
    wanted: { of: () => WITH_FIREWALL },
    ...{ talos, maintenance: withoutCluster, trial: {} },
  };
  const [first, second] = nodeConfigs(given as unknown as Parameters<typeof nodeConfigs>[0]);
  const c = (id = "") => writeContext(session, id, new Map());
  await expect(first?.apply([], c(first.id))).rejects.toMatchObject({ code: "CUT_OFF" });
  await expect(second?.apply([], c(second.id))).rejects.toMatchObject({ code: "NOT_TRIED" });
  expect(tried).toEqual(["10.0.0.1"]);
});
