import { describe, expect, test } from "vitest";
import { baseConfig } from "./base-config.ts";
import { configDifferences } from "./differences.ts";
import { keepVersions } from "./kept-versions.ts";
import { MachineConfig } from "./machine-config.ts";
import { testBundle } from "./testing/test-bundle.ts";

const config = (kubelet: string, hostname: string, proxy = "") =>
  MachineConfig.read(`machine:
    kubelet:
        image: ghcr.io/siderolabs/kubelet:${kubelet}
cluster:
    clusterName: x${proxy && `\n    proxy:\n        image: ${proxy}`}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: ${hostname}
`);

test("a release other than the running one is replaced by it, and reported", () => {
  const { config: told, kept } = keepVersions(config("v1.36.3", "a"), config("v1.35.0", "a"));
  expect(configDifferences(told, config("v1.35.0", "a"))).toEqual([]);
  expect(kept).toEqual([
    {
      path: "machine.kubelet.image",
      of: "kubernetes",
      runs: "ghcr.io/siderolabs/kubelet:v1.35.0",
      wanted: "ghcr.io/siderolabs/kubelet:v1.36.3",
    },
  ]);
});

test("the same release from another registry is a change like any other", () => {
  const running = config("v1.36.3", "a");
  const wanted = MachineConfig.read(running.text.replace("ghcr.io", "registry.local"));
  const { config: told, kept } = keepVersions(wanted, running);
  expect(told).toBe(wanted);
  expect(kept).toEqual([]);
});

test("an installer of what the node runs already is written into its config", () => {
  const of = (image: string) => MachineConfig.of([{ machine: { install: { image } } }]);
  const kept = (isInstalled: boolean) => keepVersions(of("f/b:v2"), of("f/a:v1"), () => isInstalled).kept;
  expect(kept(true)).toEqual([]);
  expect(kept(false)).toEqual([{ path: "machine.install.image", of: "talos", runs: "f/a:v1", wanted: "f/b:v2" }]);
});

test("everything else stays a difference", () => {
  const { config: told } = keepVersions(config("v1.36.3", "a"), config("v1.35.0", "b"));
  expect(configDifferences(told, config("v1.35.0", "b"))).toEqual([{ path: "HostnameConfig hostname", from: "b", to: "a" }]);
});

test("an image that the node has none of is no upgrade", () => {
  const wanted = config("v1.36.3", "a", "registry.k8s.io/kube-proxy:v1.36.3");
  const { config: told, kept } = keepVersions(wanted, config("v1.36.3", "a"));
  expect(told).toBe(wanted);
  expect(kept).toEqual([]);
});

describe.each(["v1.12", "v1.13", "v1.14"])("contract %s", (contract) => {
  const base = (versions: { kubernetes: string; installerImage: string }) =>
    MachineConfig.of(baseConfig({ ...testBundle().input, contract, ...versions }, "controlplane"));
  const running = base({ kubernetes: "v1.35.0", installerImage: "factory.talos.dev/metal-installer/a:v1" });
  const wanted = base({ kubernetes: "v1.36.0", installerImage: "factory.talos.dev/metal-installer/b:v2" });

  test("another Kubernetes and another Talos change nothing but images, and all of these are kept", () => {
    const { config, kept } = keepVersions(wanted, running);
    expect(configDifferences(config, running)).toEqual([]);
    expect(kept).toHaveLength(6);
    const paths = (of: readonly { path: string }[]) => of.map(({ path }) => path).sort();
    expect(paths(kept)).toEqual(paths(configDifferences(wanted, running)));
  });
});

test("a node that still has the original format keeps its releases in documents", () => {
  const wanted = "apiVersion: v1alpha1\nkind: KubeletConfig\nimage: k:v2\n";
  const { config: told, kept } = keepVersions(
    MachineConfig.read(wanted),
    MachineConfig.of([{ machine: { kubelet: { image: "k:v1" } } }]),
  );
  expect(told.text).toBe(wanted.replace("v2", "v1"));
  expect(kept).toEqual([{ path: "KubeletConfig image", of: "kubernetes", runs: "k:v1", wanted: "k:v2" }]);
});
