import type { SimulatedCluster } from "../cluster.ts";
import type { Loose } from "../objects.ts";
import { resourcesOf } from "../resources/catalogue.ts";
import { apiVersionOf, type Resource } from "../resources/resource.ts";

/** API groups, with versions in clients' order of preference. */
function groupsOf(cluster: SimulatedCluster): { group: string; versions: { version: string; resources: Resource[] }[] }[] {
  const rows = resourcesOf(cluster);
  return [...new Set(rows.map(({ group }) => group))].map((group) => {
    const inGroup = rows.filter((row) => row.group === group);
    const versions = [...new Set(inGroup.map(({ version }) => version))].sort(byMaturity);
    return {
      group,
      versions: versions.map((version) => ({ version, resources: inGroup.filter((row) => row.version === version) })),
    };
  });
}

/** v2 before v1 before v1beta1 before v1alpha1. */
function byMaturity(a: string, b: string): number {
  const rank = (version: string) => {
    const [, major = "0", stage, minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
    return (stage === "alpha" ? 0 : stage === "beta" ? 1 : 2) * 1e6 + Number(major) * 1e3 + Number(minor);
  };
  return rank(b) - rank(a);
}

export function apiVersions(address: string): Loose {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

export function groupList(cluster: SimulatedCluster): Loose {
  const groups = groupsOf(cluster).filter(({ group }) => group !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map((entry) => described(entry)) };
}

export function groupOf(cluster: SimulatedCluster, group: string): Loose {
  const found = groupsOf(cluster).find((entry) => entry.group === group && group !== "");
  return found && { kind: "APIGroup", apiVersion: "v1", ...described(found) };
}

function described({ group, versions }: { group: string; versions: { version: string }[] }): Loose {
  const list = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: list, preferredVersion: list[0] };
}

/** The resources of /api/v1 and /apis/<group>/<version>; undefined when there is no such version. */
export function resourceList(cluster: SimulatedCluster, group: string, version: string): Loose {
  const rows = resourcesOf(cluster).filter((row) => row.group === group && row.version === version);
  if (rows.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    ...(group !== "" && { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: rows.flatMap((row) => [
      {
        name: row.resource,
        singularName: row.singular,
        namespaced: row.namespaced,
        kind: row.kind,
        verbs: row.verbs,
        ...(row.shortNames.length > 0 && { shortNames: row.shortNames }),
        ...(row.categories.length > 0 && { categories: row.categories }),
      },
      ...row.subresources.map((sub) => ({
        name: `${row.resource}/${sub}`,
        singularName: "",
        namespaced: row.namespaced,
        ...subKind(row, sub),
        verbs: subVerbs(sub),
      })),
    ]),
  };
}

/** Aggregated discovery: everything below /api or /apis in one response. */
export function aggregated(cluster: SimulatedCluster, root: "api" | "apis", apiVersion: string): Loose {
  const groups = groupsOf(cluster).filter(({ group }) => (group === "") === (root === "api"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: { ...(group !== "" && { name: group }) },
      versions: versions.map(({ version, resources }) => ({
        version,
        freshness: "Current",
        resources: resources.map((row) => ({
          resource: row.resource,
          responseKind: kindOf(row),
          scope: row.namespaced ? "Namespaced" : "Cluster",
          singularResource: row.singular,
          verbs: row.verbs,
          ...(row.shortNames.length > 0 && { shortNames: row.shortNames }),
          ...(row.categories.length > 0 && { categories: row.categories }),
          ...(row.subresources.length > 0 && {
            subresources: row.subresources.map((sub) => ({
              subresource: sub,
              responseKind: responseKind(row, sub),
              verbs: subVerbs(sub),
            })),
          }),
        })),
      })),
    })),
  };
}

function kindOf({ group, version, kind }: Resource): Loose {
  return { group, version, kind };
}

const OTHER_KINDS: Record<string, { group: string; version: string; kind: string }> = {
  scale: { group: "autoscaling", version: "v1", kind: "Scale" },
  eviction: { group: "policy", version: "v1", kind: "Eviction" },
  binding: { group: "", version: "v1", kind: "Binding" },
  attach: { group: "", version: "v1", kind: "PodAttachOptions" },
  exec: { group: "", version: "v1", kind: "PodExecOptions" },
  portforward: { group: "", version: "v1", kind: "PodPortForwardOptions" },
  token: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
};

function responseKind(row: Resource, sub: string): Loose {
  return OTHER_KINDS[sub] ?? kindOf(row);
}

function subKind(row: Resource, sub: string): Loose {
  const other = OTHER_KINDS[sub];
  return other ? { ...other } : { kind: row.kind };
}

function subVerbs(sub: string): string[] {
  if (sub === "log") return ["get"];
  if (["eviction", "binding", "token"].includes(sub)) return ["create"];
  if (["attach", "exec", "portforward"].includes(sub)) return ["create", "get"];
  if (sub === "proxy") return ["create", "delete", "get", "patch", "update"];
  return sub === "finalize" ? ["update"] : ["get", "patch", "update"];
}
