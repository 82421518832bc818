import { expect, test } from "vitest";
import { type Synced, syncProblem } from "./health-gitops.ts";

const object = (kind: string, status: Synced["status"], spec: Synced["spec"] = {}): Synced => ({
  apiVersion: "",
  kind,
  metadata: { name: "x" },
  spec,
  ...(status && { status }),
});

test.each<[string, Synced, string | undefined]>([
  ["Ready", object("Kustomization", { conditions: [{ type: "Ready", status: "True" }] }), undefined],
  [
    "not Ready",
    object("Kustomization", { conditions: [{ type: "Ready", status: "False", message: "kustomize build failed" }] }),
    "is not Ready: kustomize build failed",
  ],
  ["never seen", object("GitRepository", undefined), "has no status yet: check that its controller runs"],
  [
    "suspended",
    object("Kustomization", { conditions: [{ type: "Ready", status: "True" }] }, { suspend: true }),
    "is suspended: nothing new arrives",
  ],
  ["synced and healthy", object("Application", { sync: { status: "Synced" }, health: { status: "Healthy" } }), undefined],
  ["not synced", object("Application", { sync: { status: "OutOfSync" }, health: { status: "Healthy" } }), "is OutOfSync"],
  [
    "failed to sync",
    object("Application", {
      sync: { status: "OutOfSync" },
      operationState: { phase: "Failed", message: "one or more objects failed to apply" },
    }),
    "is OutOfSync: one or more objects failed to apply",
  ],
  ["unhealthy", object("Application", { sync: { status: "Synced" }, health: { status: "Degraded" } }), "is Degraded"],
  [
    "a repository that cannot be read",
    object("Application", {
      sync: { status: "Unknown" },
      conditions: [{ type: "ComparisonError", status: "", message: "authentication required" }],
    }),
    "has ComparisonError: authentication required",
  ],
])("Flux and Argo CD: %s", (_, synced, expected) => {
  expect(syncProblem(synced)).toBe(expected);
});
