import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Secret } from "../objects.ts";
import { blockingRecords, decodeRelease, latestRelease, recordsOf } from "./stored-release.ts";
import golden from "./testing/helm-3.18.6-releases.json" with { type: "json" };

/** Written by Helm 3.18.6 itself; see testing/README.md. */
const secrets: Secret[] = golden;

test("a release that Helm itself recorded is read: chart, version, status and the values it was given", () => {
  expect(decodeRelease(secrets[1] as Secret)).toEqual({
    record: "sh.helm.release.v1.cilium.v2",
    revision: 2,
    status: "deployed",
    chart: "cilium",
    version: "1.20.1",
    values: {
      devices: ["eth0", "eth1"],
      empty: {},
      ipam: { mode: "kubernetes" },
      k8sServicePort: 7445,
      loadBalancer: null,
      operator: { replicas: null, x: null },
    },
    since: "2026-11-16T00:13:51.519939322Z",
  });
});

test("values are those that were given, not the chart's own beside them", () => {
  expect(decodeRelease(secrets[0] as Secret).values).toEqual({ hubble: { enabled: false }, ipam: { mode: "kubernetes" } });
});

test("the last revision counts by number, whatever the order of the list", () => {
  const tenth = structuredClone(secrets[1] as Secret);
  tenth.metadata.labels = { ...tenth.metadata.labels, version: "10" };
  tenth.metadata.name = "sh.helm.release.v1.cilium.v10";
  expect(latestRelease([tenth, ...secrets])?.record).toBe("sh.helm.release.v1.cilium.v10");
  expect(latestRelease([...secrets, tenth])?.record).toBe("sh.helm.release.v1.cilium.v10");
});

test("no secrets, no release", () => {
  expect(latestRelease([])).toBeUndefined();
});

test("the record that a killed Helm leaves behind is what keeps the next from going on", () => {
  expect(latestRelease(secrets)?.status).toBe("pending-upgrade");
  expect(blockingRecords(secrets)).toEqual(["sh.helm.release.v1.cilium.v3"]);
});

test("a release without values of its own has none", () => {
  const recorded = { name: "x", version: 1, chart: { metadata: { name: "x", version: "1.0.0" } }, info: { status: "deployed" } };
  const packed = gzipSync(JSON.stringify(recorded)).toString("base64");
  const secret = { ...(secrets[0] as Secret), data: { release: Buffer.from(packed).toString("base64") } };
  expect(decodeRelease(secret).values).toEqual({});
});

test("an undecodable record is an error that names the secret, not an absent release", () => {
  const broken = { ...(secrets[0] as Secret), data: { release: "bm9uc2Vuc2U=" } };
  expect(() => latestRelease([broken])).toThrow("secret kube-system/sh.helm.release.v1.cilium.v1");
});

test("replaced revisions are left out of the list by a label that Helm sets on each", () => {
  const selector = recordsOf({ name: "cilium", namespace: "kube-system" }, "current").labelSelector;
  expect(selector).toBe("owner=helm,name=cilium,status!=superseded");
  expect(secrets.map(({ metadata }) => [metadata.labels?.owner, metadata.labels?.name, metadata.labels?.status])).toEqual([
    ["helm", "cilium", "superseded"],
    ["helm", "cilium", "deployed"],
    ["helm", "cilium", "pending-upgrade"],
  ]);
});
