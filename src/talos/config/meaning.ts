import type { Json } from "../../lib/json.ts";
import { type ConfigDocument, isList, isObject, isOriginal } from "./document.ts";
import { isFreeName, isText } from "./merge-rules.ts";

/** Objects that Talos writes or drops as it likes when they are empty. An empty `tpm: {}` or `diskSelector: {}` does mean something. */
const MEANS_NOTHING_EMPTY = new Set([
  "v1alpha1.machine.network",
  "v1alpha1.machine.registries",
  "v1alpha1.cluster.discovery.registries",
  "v1alpha1.cluster.discovery.registries.kubernetes",
  "v1alpha1.cluster.discovery.registries.service",
  "ResolverConfig.searchDomains",
]);

/** What Talos hands on without looking into it: there even empty things may count. */
const HANDED_ON = new Set([
  "v1alpha1.machine.pods",
  "v1alpha1.machine.seccompProfiles.value",
  "v1alpha1.machine.baseRuntimeSpecOverrides",
  "v1alpha1.machine.kubelet.extraConfig",
  "v1alpha1.machine.kubelet.credentialProviderConfig",
  "v1alpha1.cluster.apiServer.admissionControl.configuration",
  "v1alpha1.cluster.apiServer.auditPolicy",
  "v1alpha1.cluster.apiServer.authorizationConfig.webhook",
  "v1alpha1.cluster.apiServer.resources",
  "v1alpha1.cluster.controllerManager.resources",
  "v1alpha1.cluster.scheduler.resources",
  "v1alpha1.cluster.scheduler.config",
]);

/** The document without what is there and says nothing, because Talos drops such things when it writes a config. */
export function meaning(document: ConfigDocument): ConfigDocument {
  const kept = meaningOf(document, [isOriginal(document) ? "v1alpha1" : String(document.kind)]);
  return isObject(kept) ? kept : {};
}

function meaningOf(value: Json, path: readonly string[]): Json | undefined {
  const name = path.join(".");
  if (HANDED_ON.has(name)) return value;
  if (value === null) return undefined;
  // A label may be empty and still be a label.
  if (value === "" && !isText(path)) return undefined;
  if (isList(value)) return value.length === 0 ? undefined : value.map((item) => meaningOf(item, path) ?? null);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, inner]) => {
    const result = meaningOf(inner, [...path, key]);
    return result === undefined ? [] : [[key, result] as const];
  });
  const droppable = MEANS_NOTHING_EMPTY.has(name) || isFreeName([...path, "any"]);
  return kept.length === 0 && path.length > 1 && droppable ? undefined : Object.fromEntries(kept);
}
