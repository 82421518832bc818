import { definition } from "../../charts/definitions.ts";
import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Manifest } from "../objects.ts";
import { builtin, findKind } from "../resources/catalogue.ts";
import { all, read } from "../store/store.ts";

const DEFINITIONS = builtin("customresourcedefinitions.apiextensions.k8s.io");
const NAME = "serviceaccounts.talos.dev";

/**
 * machine.features.kubernetesTalosAPIAccess: pods request access to the Talos API by a custom resource, and Talos answers each with a Secret of the
 * same name.
 */
export function lookAfterTalosAccess(cluster: SimulatedCluster): void {
  const { talosAccess } = cluster.settings;
  if (!talosAccess) return;
  if (!read(cluster, DEFINITIONS, undefined, NAME)) {
    const kind = definition({
      group: "talos.dev",
      kind: "ServiceAccount",
      versions: ["v1alpha1"],
      short: ["tsa"],
      spec: { roles: ["string"] },
    });
    createObject(cluster, DEFINITIONS, undefined, kind as Manifest, quietly());
  }
  const accounts = findKind(cluster, "talos.dev/v1alpha1", "ServiceAccount");
  for (const account of accounts ? all(cluster, accounts) : []) {
    const { namespace = "" } = account.metadata;
    const roles: string[] = account.spec?.roles ?? [];
    const allowed = talosAccess.namespaces.includes(namespace) && roles.every((role) => talosAccess.roles.includes(role));
    if (allowed) grant(cluster, account, roles);
  }
}

function grant(cluster: SimulatedCluster, { apiVersion, kind, metadata }: KubeObject, roles: readonly string[]): void {
  const { name, namespace, uid } = metadata;
  const secrets = builtin("secrets");
  if (read(cluster, secrets, namespace, name)) return;
  const config = JSON.stringify({ context: "default", contexts: { default: { endpoints: ["talos.default"], roles } } });
  createObject(
    cluster,
    secrets,
    namespace,
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, ...(namespace !== undefined && { namespace }), ownerReferences: [{ apiVersion, kind, name, uid }] },
      type: "Opaque",
      data: { config: Buffer.from(config).toString("base64") },
    } as Manifest,
    quietly(),
  );
}
