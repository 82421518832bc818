import { parseAllDocuments } from "yaml";
import { applyObject } from "../api/patch.ts";
import { ApiError } from "../api/status.ts";
import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { contentHash } from "../identity.ts";
import type { Loose, Manifest } from "../objects.ts";
import { builtin, findKind } from "../resources/catalogue.ts";
import { lookIn } from "../store/look.ts";
import { put, read } from "../store/store.ts";
import { apiObjects } from "./api-objects.ts";
import { talosManifests } from "./talos-manifests.ts";

/** Talos retries manifests whose kinds are defined by other manifests of its own. */
const AGAIN_MS = 5000;

/** Creates the initial objects of every API server in a new cluster. */
export function bearCluster(cluster: SimulatedCluster): void {
  for (const manifest of apiObjects(cluster)) create(cluster, manifest);
}

/** Updates the endpoints of the Service by which every pod reaches the API. */
export function tellApiServers(cluster: SimulatedCluster): void {
  const addresses = cluster.servers.map(({ address }) => ({ ip: address }));
  const subsets = [{ addresses, ports: [{ name: "https", port: 6443, protocol: "TCP" }] }];
  const known = read(cluster, builtin("endpoints"), "default", "kubernetes");
  if (known) put(cluster, builtin("endpoints"), { ...known, subsets });
  else create(cluster, { apiVersion: "v1", kind: "Endpoints", metadata: { name: "kubernetes", namespace: "default" }, subsets });
}

/** Applies Talos's manifests when they are new or changed; a deleted object stays deleted until then. */
export function applyManifests(cluster: SimulatedCluster): void {
  const manifests = [...talosManifests(cluster), ...inlineManifests(cluster)];
  const hash = contentHash(manifests, 32);
  if (cluster.state.manifests === hash) return;
  const late = manifests.filter((manifest) => !apply(cluster, manifest));
  if (late.length > 0) lookIn(cluster, AGAIN_MS);
  else cluster.state.manifests = hash;
}

function inlineManifests({ settings }: SimulatedCluster): Manifest[] {
  return settings.inlineManifests.flatMap(({ contents }) =>
    parseAllDocuments(contents)
      .map((document): Loose => ("toJS" in document ? document.toJS() : undefined))
      .filter((manifest): manifest is Manifest => typeof manifest?.kind === "string")
      .map((manifest) => ({ ...manifest, metadata: manifest.metadata ?? {} })),
  );
}

/** Applies a manifest; false when its kind is unknown, or its namespace does not exist yet. */
function apply(cluster: SimulatedCluster, manifest: Manifest): boolean {
  const resource = findKind(cluster, manifest.apiVersion, manifest.kind);
  if (!resource) return false;
  const namespace = resource.namespaced ? (manifest.metadata.namespace ?? "default") : undefined;
  const name = manifest.metadata.name ?? "";
  const live = read(cluster, resource, namespace, name);
  const wanted = { manager: "talos", force: true, name, ...(namespace !== undefined && { namespace }) };
  try {
    applyObject(cluster, resource, live, manifest, wanted, { ...quietly(), manager: "talos" });
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code !== 404;
  }
}

function create(cluster: SimulatedCluster, manifest: Manifest): void {
  const resource = findKind(cluster, manifest.apiVersion, manifest.kind);
  if (resource) createObject(cluster, resource, manifest.metadata.namespace, manifest, quietly());
}
