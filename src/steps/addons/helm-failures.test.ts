import { describe, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { changesOf } from "../../engine/plan.ts";
import { helmRecord } from "./testing/helm-records.ts";
import { MemoryCluster } from "./testing/memory-cluster.ts";
import { expectInstalled, older, plan, up, wanted } from "./testing/one-release.ts";

describe("Helm's log", () => {
  test("is shown line by line while it runs, without secrets", async () => {
    const kube = new MemoryCluster();
    const session = testSession();
    const secret = { ...wanted, values: { remote: { place: "things" } }, secretPaths: ["remote.place"] };
    await up(kube, secret, session);
    const said = session.events.flatMap((event) => (event.type === "step.progress" ? [event.text] : []));
    expect(said).toContain("beginning");
    expect(said).toContain("creating (secret)");
  });

  test.each([
    [
      "a version that is not there",
      'Error: chart "cilium" version "9.9.9" not found in https://x repository',
      "check that chart cilium 1.20.1 exists at",
    ],
    [
      "an OCI version that is not there",
      "Error: quay.io/cilium/charts/cilium:9.9.9: not found",
      "check that chart cilium 1.20.1 exists at",
    ],
    [
      "a repository out of reach",
      'Error: looks like "https://x" is not a valid chart repository or cannot be reached: dial tcp: i/o timeout',
      "check that the control planes can reach",
    ],
    [
      "values that the schema refuses",
      "Error: values don't meet the specifications of the schema(s) in the following chart(s):\ncilium:\n- at '/x': got string, want boolean",
      "has no such value, or the value has a wrong type",
    ],
    [
      "values that a template refuses",
      "Error: execution error at (cilium/templates/validate.yaml:1:3): bad",
      "renders invalid objects from these values",
    ],
    ["PodSecurity", 'Error: pods "x" is forbidden: violates PodSecurity "baseline:latest"', "pod-security.kubernetes.io/enforce"],
    [
      "objects that are there already",
      "Error: Unable to continue with install: invalid ownership metadata",
      "remove them, then run the same command again",
    ],
    [
      "a time-out",
      "Error: failed pre-install: timed out waiting for the condition",
      "kubectl --namespace kube-system get pods,events",
    ],
    [
      "an undefined kind",
      'Error: unable to build kubernetes objects: no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"',
      "the CRD of ServiceMonitor (monitoring.coreos.com/v1) must be installed first",
    ],
    ["something unheard of", "Error: who knows", "kubectl --namespace kube-system logs job/helm-cilium-"],
  ])("of %s ends in an error with addon, cause and a hint that fits, and the next up recovers", async (_, log, hint) => {
    const kube = new MemoryCluster();
    kube.mood = { fails: log };
    const { error } = await up(kube);
    expect(error?.message).toMatch(/^Unable to install cilium 1\.20\.1: /);
    expect(error?.detail).toContain(log.split("\n").at(-1));
    expect(error?.hint).toContain(hint);
    kube.mood = {};
    await up(kube);
    expectInstalled(kube);
  });

  test("of a failed first install is no obstacle: the record says failed, and the next up continues from it", async () => {
    const kube = new MemoryCluster();
    kube.put(helmRecord({ ...older, status: "failed" }));
    expect((await up(kube)).outcome).toBe("changed");
    expectInstalled(kube);
  });
});

test("an image that cannot be had ends the wait at once, takes Job and rights away, and the next up recovers", async () => {
  const kube = new MemoryCluster();
  kube.mood = { noImage: 'failed to pull image "helm:3": manifest unknown: not found' };
  const session = testSession();
  const began = session.world.clock.monotonic();
  const { error } = await up(kube, wanted, session);
  expect(error).toMatchObject({ code: "HELM_IMAGE", hint: expect.stringContaining("check that helm:3 is the right name") });
  expect(session.world.clock.monotonic() - began).toBeLessThan(120_000);
  expect([...kube.all("Job"), ...kube.all("ClusterRoleBinding")]).toEqual([]);
  kube.mood = {};
  await up(kube);
  expectInstalled(kube);
});

test("a value written as a reference is only reported to differ, whatever its name", async () => {
  const kube = new MemoryCluster();
  kube.put(helmRecord({ ...older, version: "1.20.1", config: { place: "old-one", list: ["old-one"] } }));
  const secret = { ...wanted, values: { place: "new-one", list: ["new-one"] }, secretPaths: ["place", "list.0"] };
  const fields = changesOf(await plan(kube, secret))[0]?.fields;
  expect(fields).toMatchObject([
    { path: "values.list", secret: true },
    { path: "values.place", secret: true },
  ]);
  expect(JSON.stringify(fields)).not.toMatch(/old-one|new-one/);
});
