import { expect, test } from "vitest";
import { configDifferences } from "./differences.ts";
import { keepVersions } from "./kept-versions.ts";

const config = (kubelet: string, hostname: string, proxy = "") =>
  `machine:
    kubelet:
        image: ghcr.io/siderolabs/kubelet:${kubelet}
cluster:
    clusterName: x${proxy && `\n    proxy:\n        image: ${proxy}`}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: ${hostname}
`;

test("a release that the node does not run is kept as it runs, and told", () => {
  const { config: told, kept } = keepVersions(config("v1.36.3", "a"), config("v1.35.0", "a"));
  expect(configDifferences(told, config("v1.35.0", "a"))).toEqual([]);
  expect(kept).toEqual([
    { path: "machine.kubelet.image", runs: "ghcr.io/siderolabs/kubelet:v1.35.0", wanted: "ghcr.io/siderolabs/kubelet:v1.36.3" },
  ]);
});

test("everything else stays a difference", () => {
  const { config: told } = keepVersions(config("v1.36.3", "a"), config("v1.35.0", "b"));
  expect(configDifferences(told, config("v1.35.0", "b"))).toEqual([{ path: "HostnameConfig hostname", from: "b", to: "a" }]);
});

test("an image that the node has none of is no upgrade", () => {
  const wanted = config("v1.36.3", "a", "registry.k8s.io/kube-proxy:v1.36.3");
  expect(keepVersions(wanted, config("v1.36.3", "a"))).toEqual({ config: wanted, kept: [] });
});
