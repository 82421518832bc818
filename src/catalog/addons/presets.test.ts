import { describe, expect, test } from "vitest";
import type { Addon, AddonPart, Manifest } from "./addon.ts";
import { PRESETS } from "./presets.ts";
import { KEY, PASSWORD, releaseIn, samples, TOKEN } from "./testing/sample.ts";

/** Namespaces of every new cluster. */
const ALWAYS_THERE = ["default", "kube-system"];

/** Kinds without a namespace that addons bring; all others must name theirs. */
const CLUSTER_WIDE =
  /^(Namespace|RuntimeClass|ClusterRole|ClusterRoleBinding|Cilium(LoadBalancerIPPool|L2AnnouncementPolicy|BGP\w+))$/;

describe.each(Object.entries(samples()))("%s", (name, addon) => {
  test("is made the same of the same", () => {
    expect(samples()[name]).toEqual(addon);
  });

  test("has exactly one release, of a full version", () => {
    expect(addon.parts.filter(({ kind }) => kind === "release")).toHaveLength(1);
    expect(releaseIn(addon).version).toMatch(/^v?\d+\.\d+\.\d+$/);
  });

  test("comes from a repository without a slash at its end", () => {
    expect(releaseIn(addon).repository).toMatch(/^(https|oci):\/\/[^\s]+[^/\s]$/);
  });

  test("names each of its parts once", () => {
    const names = addon.parts.map((part) => part.name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("puts things only into namespaces that are there by then", () => {
    const there = new Set(ALWAYS_THERE);
    for (const part of addon.parts) {
      for (const namespace of namespacesMadeBy(part)) there.add(namespace);
      for (const namespace of namespacesUsedBy(part)) expect(there).toContain(namespace);
    }
  });

  test("says which namespace each of its objects is in", () => {
    const objects = addon.parts.flatMap((part) => (part.kind === "objects" ? part.objects : []));
    const lost = objects.filter(({ kind, metadata }) => CLUSTER_WIDE.test(kind) === (metadata.namespace !== undefined));
    expect(lost).toEqual([]);
  });

  test("has secrets in Secrets only", () => {
    const secrets = [KEY, PASSWORD, TOKEN].flatMap((secret) => secret.reveal().split("=").at(-1) ?? []);
    const open = JSON.stringify(withoutSecrets(addon));
    for (const secret of secrets) expect(open).not.toContain(JSON.stringify(secret).slice(1, -1));
  });
});

function namespacesMadeBy(part: AddonPart): string[] {
  // The step that installs a release makes its namespace first.
  if (part.kind === "release") return [part.namespace];
  return part.kind === "objects"
    ? part.objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name)
    : [];
}

function namespacesUsedBy(part: AddonPart): string[] {
  if (part.kind === "age-key") return [part.secret.namespace];
  return part.kind === "objects" ? part.objects.flatMap(({ metadata }) => metadata.namespace ?? []) : [];
}

/** The parts that a plan shows. */
function withoutSecrets(addon: Addon): unknown {
  return addon.parts.map((part) => {
    return part.kind === "objects" ? part.objects.filter(({ kind }: Manifest) => kind !== "Secret") : part;
  });
}

test("every preset is among the samples", () => {
  const sampled = Object.keys(samples()).map((name) => name.replace(/ .*/, ""));
  expect([...new Set(sampled)].sort()).toEqual(Object.keys(PRESETS).sort());
});

test("the user's values take precedence over the preset's, map by map", () => {
  const values = { ipam: { mode: "cluster-pool" }, cgroup: { autoMount: { enabled: true } }, debug: { enabled: true } };
  const options = { version: "1.19.7", repository: "oci://registry.example/charts", values };
  const release = releaseIn(PRESETS.cilium.make(options, { ...SMALL }));
  expect(release).toMatchObject({ version: "1.19.7", repository: "oci://registry.example/charts" });
  expect(release.values).toMatchObject({
    ipam: { mode: "cluster-pool" },
    cgroup: { autoMount: { enabled: true }, hostRoot: "/sys/fs/cgroup" },
    debug: { enabled: true },
  });
});

test("a namespace of one's own gets the labels and everything that belongs there", () => {
  const addon = PRESETS.flux.make({ url: "https://example.org/cluster.git", namespace: "gitops" }, SMALL);
  const used = addon.parts.flatMap((part) => [...namespacesUsedBy(part), ...(part.kind === "release" ? [part.namespace] : [])]);
  expect(new Set(used)).toEqual(new Set(["gitops"]));
  const moved = releaseIn(PRESETS.longhorn.make({ namespace: "storage" }, SMALL));
  expect(moved).toMatchObject({ namespace: "storage", namespaceLabels: { "pod-security.kubernetes.io/enforce": "privileged" } });
});

const SMALL = {
  name: "small",
  talos: "v1.13.9",
  kubernetes: "v1.36.3",
  platform: "metal",
  controlPlanes: 1,
  workers: 0,
  gpuNodes: 0,
  scheduleOnControlPlanes: true,
  podSubnets: ["10.244.0.0/16"],
  serviceSubnets: ["10.96.0.0/12"],
};
