import { testSession } from "../../../../test/support/toy.ts";
import type { AddonPart, Manifest } from "../../../catalog/addons/addon.ts";
import type { AddonConfig } from "../../../config/addons-config.ts";
import { changesOf, errorsOf, makePlan, type Plan } from "../../../engine/plan.ts";
import { runPlan, type StepResult } from "../../../engine/run.ts";
import { addons } from "../addons.ts";
import type { MemoryCluster } from "./memory-cluster.ts";
import { done, testCluster } from "./test-cluster.ts";

export const HELLO: Manifest = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "hello", namespace: "web" },
  data: { greeting: "hello" },
};

export function addonOf(...parts: AddonPart[]): AddonConfig {
  return { name: "own", tier: "manifests", path: ["addons", "manifests", 0], parts };
}
export const objects = (...of: Manifest[]): AddonPart => ({ kind: "objects", name: "files", objects: of });

function itemsFor(kube: MemoryCluster, all: readonly AddonConfig[], remove: readonly string[] = []) {
  const cluster = testCluster(kube, "none", undefined, all);
  return [...done(cluster), ...addons(cluster.env, kube, cluster.found, remove)];
}

export const plan = (kube: MemoryCluster, all: readonly AddonConfig[], remove?: string[]) =>
  makePlan(itemsFor(kube, all, remove), testSession());

export async function up(kube: MemoryCluster, all: readonly AddonConfig[], remove?: string[], session = testSession()) {
  const made = await makePlan(itemsFor(kube, all, remove), session);
  const [problem] = errorsOf(made);
  if (problem) throw problem;
  return runPlan(made, session);
}

export const fieldsOf = (made: Plan) =>
  changesOf(made).map(({ verb, subject, fields }) => [
    `${verb} ${subject}`,
    ...fields.map(({ path, from, to }) => [path, from, to]),
  ]);
export const errorOf = (results: readonly StepResult[]) => results.find(({ error }) => error)?.error;
