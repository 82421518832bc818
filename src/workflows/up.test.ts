import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { instantClock } from "../../test/support/instant-clock.ts";
import { testSession } from "../../test/support/toy.ts";
import { changed, loadMetal, METAL } from "../config/testing/config-in-memory.ts";
import { readContext } from "../engine/context.ts";
import { changesOf, makePlan } from "../engine/plan.ts";
import type { WorkItem } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { metalPlatform } from "../platforms/metal/platform.ts";
import { machineStepId } from "../platforms/metal/steps/machine.ts";
import type { Owned } from "../platforms/platform.ts";
import { AFTER_CHANGES, AT_REST } from "../steps/verify/eventually.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { ALL_STAGES } from "./stages.ts";
import { up } from "./up.ts";
import type { Given } from "./workflow.ts";

const CHART = "{ name: podinfo, chart: podinfo, repository: https://charts.example.org, version: 6.9.2, namespace: web }";

/** Everything `up` does on METAL with one chart; nothing of it is run. */
function items(given: Partial<Given> = {}): WorkItem[] {
  const { config, where } = loadMetal(changed({ "nodes:": `addons: { charts: [${CHART}] }\nnodes:` }, METAL));
  const env: Environment = { folder: "/e", shown: "e", config, warnings: [], where };
  const nothing = {} as Given;
  const platform = metalPlatform({ ...env, config }, nothing.talos);
  const found = { environment: undefined, owned: [], there: new Set<string>(), foreign: [] };
  return up({ ...nothing, env, platform, found, stages: ALL_STAGES, redactor: new Redactor(), ...given });
}

const checks = () => items().filter(({ kind, stage }) => kind === "check" && stage === "verify");
const idsOf = (refs: readonly { step: string }[] = []) => refs.map(({ step }) => step);

test("a chart that fails leaves only the checks about addons undone", () => {
  const blocked = checks().filter(({ needs }) => idsOf(needs).includes("addon/podinfo"));
  expect(blocked.map(({ id }) => id)).toEqual(["verify/addons"]);
});

test("no check begins before every chart has ended", () => {
  for (const { id, after } of checks()) expect([id, idsOf(after)]).toEqual([id, expect.arrayContaining(["addon/podinfo"])]);
});

test("before the only control plane goes, a snapshot of etcd is taken although no mark says that etcd exists", async () => {
  // On metal no machine has a mark.
  const owned = { name: "cp", role: "controlplane", address: "10.10.0.11", state: "running", bootstrapped: false, remade: true };
  const found = { environment: "e", owned: [owned as Owned], there: new Set(["cp"]), foreign: [] };
  const talos = { node: () => ({ etcdStatus: async () => ({ leader: 1n, isLearner: false }) }) } as unknown as TalosNodes;
  const all = items({ found, talos, takesSnapshots: true });
  const snapshot = all.filter(({ id }) => id === "snapshot/etcd");
  expect(changesOf(await makePlan(snapshot, testSession())).map(({ subject }) => subject)).toEqual(["etcd snapshot"]);
  expect(idsOf(all.find(({ id }) => id === machineStepId("cp"))?.needs)).toContain("snapshot/etcd");
});

test("at rest a failing check is reported within seconds, after changes it is waited for", async () => {
  const talos = { node: () => ({ services: async () => [], resource: async () => undefined }) } as unknown as TalosNodes;
  const took = async (atRest: boolean) => {
    const kubelet = items({ talos, atRest: () => atRest }).find(({ id }) => id === "verify/kubelet");
    const clock = instantClock();
    const session = testSession({ clock });
    const c = readContext(session, "verify/kubelet", new Map(), new Map());
    expect(kubelet?.kind === "check" && (await kubelet.run(c))).toMatchObject([{ level: "fail", code: "KUBELET" }]);
    return clock.monotonic();
  };
  expect(await took(true)).toBe(AT_REST.stillMs);
  expect(await took(false)).toBe(AFTER_CHANGES.stillMs);
});
