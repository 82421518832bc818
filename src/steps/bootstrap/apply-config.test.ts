import { remoteError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { NodeConfig } from "../../config/config.ts";
import { writeContext } from "../../engine/context.ts";
import type { Node, Pod } from "../../kubernetes/objects.ts";
import { openMaintenance } from "../../maintenance/maintenance.ts";
import { reboot } from "../../maintenance/reboot.ts";
import { noSnapshots } from "../../maintenance/testing/no-snapshots.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import { MachineConfig } from "../../talos/config/machine-config.ts";
import { MemoryCluster } from "../addons/testing/memory-cluster.ts";
import { applyLive, stageAnyway, type Trial } from "./apply-config.ts";

/* The order of calls on a node that runs, by what the new config changes. That the lab's machines agree is shown in test/e2e. */

const RUNNING = "version: v1alpha1\nmachine: { type: worker }\n";
const node = { name: "worker-1", ip: "127.0.0.1", role: "worker" } as NodeConfig;

interface Scene {
  calls: string[];
  /** Whether a new connection is answered, given the progress so far, and with which config when not the newest. */
  answers: (said: string) => boolean | string;
  cluster: MemoryCluster;
  /** When the answer to a reboot is lost: how long the node still answers before it goes down. */
  goesDownAfterMs?: number;
  /** How long after a trial its chains show the new rules, and the kernel follows them; it answers no new connection from then on. */
  locksOutAfterMs?: { shown: number; inForce: number };
  /** The time limit of the whole run. */
  trial?: Trial;
}

function scene(answers: Scene["answers"] = () => true): Scene {
  const cluster = new MemoryCluster();
  for (const name of ["worker-1", "worker-2"]) {
    const addresses = [{ type: "InternalIP", address: node.ip }];
    const status = { conditions: [{ type: "Ready", status: "True" }], addresses };
    cluster.put({ apiVersion: "v1", kind: "Node", metadata: { name }, status } as Node);
  }
  return { calls: [], answers, cluster };
}

const configs = (running: string, stored: string) => ({
  running: MachineConfig.read(running),
  stored: MachineConfig.read(stored),
});

const LOST = remoteError("TALOS_UNAVAILABLE", { message: "the answer was lost", transient: true });

async function applied(config: string, given: Scene): Promise<void> {
  const { calls, answers, cluster, goesDownAfterMs, locksOutAfterMs, trial = {} } = given;
  const session = testSession({ timeScale: 1000 });
  let triedAt = Number.POSITIVE_INFINITY;
  const sinceTrial = () => session.world.clock.monotonic() - triedAt;
  /** Talos reverts to the old config after three minutes. */
  const isOnTrial = () => sinceTrial() >= 0 && sinceTrial() < 3 * 60_000;
  let boots = 0;
  let goesDownAt = Number.POSITIVE_INFINITY;
  let running = RUNNING;
  const merge = cluster.merge.bind(cluster);
  cluster.merge = async (of, change) => {
    calls.push(`${of.name} ${JSON.stringify((change as { spec: Json }).spec)}`);
    return merge(of, change);
  };
  const api: Partial<TalosNode> = {
    bootId: async () => `boot ${session.world.clock.monotonic() < goesDownAt ? boots : boots + 1}`,
    reboot: async () => {
      calls.push("reboot");
      if (goesDownAfterMs !== undefined) {
        goesDownAt = session.world.clock.monotonic() + goesDownAfterMs;
        throw LOST;
      }
      boots++;
      return "actor";
    },
    apply: async ({ text }, mode) => {
      calls.push(mode);
      if (mode === "no-reboot" && text.includes("picky")) throw remoteError("TALOS_NEEDS_REBOOT", { message: "reboot" });
      running = text;
      if (mode === "try") triedAt = session.world.clock.monotonic();
      return { rebooting: false, details: "", warnings: [] };
    },
  };
  api.resources = async ({ type }) => {
    const isShown = isOnTrial() && sinceTrial() >= (locksOutAfterMs?.shown ?? 100);
    return type.startsWith("NfTables") ? [{ id: "ingress", version: isShown ? "2" : "1", phase: "running", spec: {} }] : [];
  };
  const talos = {
    node: () => api as TalosNode,
    ask: async <T>(_: string, question: (node: TalosNode) => Promise<T>) => ({
      is: "ours",
      answer: await question(api as TalosNode),
    }),
    afresh: () => ({
      node: {
        ...api,
        machineConfigs: async () => {
          const isLockedOut = locksOutAfterMs !== undefined && isOnTrial() && sinceTrial() >= locksOutAfterMs.inForce;
          const isBack = Number.isFinite(locksOutAfterMs?.inForce) && sinceTrial() >= 3 * 60_000;
          const there = isLockedOut ? false : isBack ? RUNNING : answers(JSON.stringify(session.events));
          calls.push(there ? "answered" : "silent");
          if (there) return configs(there === true ? running : there, RUNNING);
          throw remoteError("TALOS_UNREACHABLE", { message: "no answer", transient: true });
        },
      } as TalosNode,
      close: () => {},
    }),
  } as Partial<TalosNodes> as TalosNodes;
  const target = { node, talos, trial };
  const c = writeContext(session, "bootstrap/config/worker-1", new Map());
  const [wanted, from] = [MachineConfig.read(config), MachineConfig.read(RUNNING)];
  if (await applyLive(target, wanted, from, c)) return;
  const maintenance = openMaintenance({
    ...{ nodes: [node], existing: new Set(["worker-1"]), bootstrapped: true, workers: 1, talos, kube: cluster },
    snapshots: noSnapshots,
  });
  await maintenance.restart(node, c, {
    prepare: () => stageAnyway(target, wanted, from, c),
    act: () => reboot(talos, node, c),
  });
}

const FIREWALL = "---\napiVersion: v1alpha1\nkind: NetworkDefaultActionConfig\ningress: block\n";
const FILE = "machine: { type: worker, files: [{ path: /var/x, op: create, content: x }] }\n";

test("a change that Talos can apply at once is applied without a reboot", async () => {
  const happened = scene();
  await applied("version: v1alpha1\nmachine: { type: worker, sysctls: { a: '1' } }\n", happened);
  expect(happened.calls).toEqual(["no-reboot"]);
});

test("a config that needs a reboot is staged, the node drained and rebooted, and pods may come back afterwards", async () => {
  const happened = scene();
  await applied(FILE, happened);
  expect(happened.calls).toEqual(["staged", 'worker-1 {"unschedulable":true}', "reboot", 'worker-1 {"unschedulable":null}']);
});

test("a node that goes down although the answer to its reboot was lost is not asked again", async () => {
  const happened = { ...scene(), goesDownAfterMs: 60_000 };
  await applied(FILE, happened);
  expect(happened.calls.slice(-2)).toEqual(["reboot", 'worker-1 {"unschedulable":null}']);
});

test("a node that stays up did not receive its reboot call, and the error is reported", async () => {
  await expect(applied(FILE, { ...scene(), goesDownAfterMs: Number.POSITIVE_INFINITY })).rejects.toBe(LOST);
});

test("a node that wants a reboot for what we took for harmless gets one", async () => {
  const happened = scene();
  happened.cluster.objects.delete("Node /worker-2");
  await applied("version: v1alpha1\nmachine: { type: worker, sysctls: { picky: '1' } }\n", happened);
  expect(happened.calls).toEqual(["no-reboot", "staged", "reboot"]);
});

test("a node whose pods have no other node is not drained", async () => {
  const happened = scene();
  happened.cluster.objects.delete("Node /worker-2");
  await applied(FILE, happened);
  expect(happened.calls).toEqual(["staged", "reboot"]);
});

test("a node that an administrator cordoned stays cordoned", async () => {
  const happened = scene();
  const itself = happened.cluster.objects.get("Node /worker-1");
  happened.cluster.put({ ...itself, spec: { unschedulable: true } } as unknown as Pod);
  await applied(FILE, happened);
  expect(happened.calls).toEqual(["staged", "reboot"]);
});

test("a new firewall is tried, and kept only when a new connection is answered", async () => {
  const happened = scene();
  await applied(`${RUNNING}${FIREWALL}`, happened);
  expect(happened.calls).toEqual(["try", "answered", "no-reboot"]);
});

test("a firewall that cuts us off is never applied for good, and the run says which fields it was", async () => {
  const happened = scene((said) => said.includes("waiting until Talos reverts the new network") && RUNNING);
  await expect(applied(`${RUNNING}${FIREWALL}`, happened)).rejects.toMatchObject({
    code: "CUT_OFF",
    detail: "NetworkDefaultActionConfig ingress",
  });
  expect(happened.calls).not.toContain("no-reboot");
  expect(happened.calls.at(-1)).toBe("answered");
});

test.each([
  { when: "at once", shown: 0, inForce: 0 },
  { when: "after Talos has answered", shown: 100, inForce: 100 },
  { when: "after its chains show it", shown: 100, inForce: 3000 },
  { when: "slowly", shown: 8000, inForce: 10_000 },
])("a firewall that cuts us off $when is not confirmed over a connection that is older than it", async (locksOutAfterMs) => {
  const happened: Scene = { ...scene(), locksOutAfterMs };
  await expect(applied(`${RUNNING}${FIREWALL}`, happened)).rejects.toMatchObject({ code: "CUT_OFF" });
  expect(happened.calls).not.toContain("no-reboot");
});

test("after a node became unreachable, the next one is not tried and reports the reason", async () => {
  const trial: Trial = {};
  const first: Scene = { ...scene(), trial, locksOutAfterMs: { shown: 100, inForce: 200 } };
  await expect(applied(`${RUNNING}${FIREWALL}`, first)).rejects.toMatchObject({ code: "CUT_OFF" });
  const second: Scene = { ...scene(), trial };
  await expect(applied(`${RUNNING}${FIREWALL}`, second)).rejects.toMatchObject({
    code: "NOT_TRIED",
    message: expect.stringContaining("worker-1 could not be reached"),
  });
  expect(second.calls).toEqual([]);
  const third: Scene = { ...scene(), trial };
  await applied("version: v1alpha1\nmachine: { type: worker, sysctls: { a: '1' } }\n", third);
  expect(third.calls).toEqual(["no-reboot"]);
});

test("a change that shows in none of the node's resources is confirmed after a while", async () => {
  const happened: Scene = { ...scene(), locksOutAfterMs: { shown: Number.POSITIVE_INFINITY, inForce: Number.POSITIVE_INFINITY } };
  await applied(`${RUNNING}${FIREWALL}`, happened);
  expect(happened.calls).toEqual(["try", "answered", "no-reboot"]);
});

test("a node that answers because Talos has taken the firewall back already has not passed the trial", async () => {
  const happened = scene(() => RUNNING);
  await expect(applied(`${RUNNING}${FIREWALL}`, happened)).rejects.toMatchObject({ code: "CUT_OFF" });
  expect(happened.calls).toEqual(["try", "answered"]);
});

test("network and reboot together: the network is settled before the node goes down", async () => {
  const happened = scene();
  await applied(`${FILE}${FIREWALL}`, happened);
  expect(happened.calls.filter((call) => !call.startsWith("worker-1"))).toEqual([
    "try",
    "answered",
    "no-reboot",
    "staged",
    "reboot",
  ]);
});
