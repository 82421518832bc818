import type { SimulatedCluster } from "../cluster.ts";
import { timestamp } from "../identity.ts";
import type { KubeObject, Loose, Manifest } from "../objects.ts";
import { type Applying, applyConfig, managedAfterApply } from "../patch/apply.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge.ts";
import { strategicMerge } from "../patch/strategic.ts";
import { apiVersionOf, type Resource } from "../resources/resource.ts";
import { asStored, inVersion, storedRow } from "../resources/versions.ts";
import { decode, Undecodable } from "../schema/decode.ts";
import { schemaOf } from "../schema/of.ts";
import { typeProblems } from "../schema/typed.ts";
import { ApiError, badRequest } from "./status.ts";
import { createObject, replaceObject, type Writing } from "./write.ts";

export const APPLY = "application/apply-patch+yaml";
const STRATEGIC = "application/strategic-merge-patch+json";

/** Applies a patch to an existing object. */
export function patchObject(
  cluster: SimulatedCluster,
  resource: Resource,
  live: KubeObject,
  type: string,
  patch: Loose,
  how: Writing,
): KubeObject {
  const shown = inVersion(resource, live);
  const after = readPatched(resource, patched(resource, shown, type, patch), how, type === STRATEGIC ? patch : undefined);
  const metadata = after.metadata ?? {};
  const managedFields = metadata.managedFields ?? [];
  const noted: Writing = { ...how, ...(managedFields.length > 0 && { managedFields: moved(managedFields) }) };
  return replaceObject(cluster, resource, live, { ...after, metadata }, noted);
}

/** A list with a single empty entry resets the managed fields. */
function moved(entries: KubeObject["metadata"]["managedFields"] = []) {
  return entries.filter(({ manager }) => manager !== undefined);
}

function readPatched(resource: Resource, after: Loose, how: Writing, strategic: Loose): Loose {
  const shown = JSON.stringify(strategic === undefined ? JSON.stringify(after) : goText(strategic));
  const refused = (why: string) =>
    new ApiError(422, "Invalid", ` "" is invalid: patch: Invalid value: ${shown}: ${why}`, {
      causes: [
        {
          reason: "FieldValueInvalid",
          message: `Invalid value: ${shown}: ${why}`,
          field: "patch",
        },
      ],
    });
  try {
    const { value, strict } = decode(after, schemaOf(resource));
    if (strict.length > 0 && how.validation === "Strict") throw refused(`strict decoding error: ${strict.join(", ")}`);
    if (how.validation === "Warn") how.warnings.push(...strict);
    return value;
  } catch (error) {
    if (error instanceof Undecodable) throw refused(error.message);
    throw error;
  }
}

/** Formats a value as Go prints it: map[spec:map[replicas:2]]. */
function goText(value: Loose): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, member]) => `${key}:${goText(member)}`).join(" ")}]`;
}

function patched(resource: Resource, live: KubeObject, type: string, patch: Loose): Loose {
  switch (type) {
    case "application/json-patch+json":
      return jsonPatch(live, patch);
    case "application/merge-patch+json":
      return unversioned(live, patch, mergePatch(live, patch));
    case STRATEGIC:
      if (!resource.custom) return unversioned(live, patch, strategicMerge(live, patch, schemaOf(resource)));
      throw unsupported("application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    default:
      throw unsupported(
        "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml",
      );
  }
}

/** Compares the resource version only when the patch itself sets one. */
function unversioned(live: KubeObject, patch: Loose, after: Loose): Loose {
  const named = patch?.metadata?.resourceVersion;
  return { ...after, metadata: { ...after.metadata, resourceVersion: named ?? live.metadata.resourceVersion } };
}

function unsupported(accepted: string): ApiError {
  return new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    {},
  );
}

export interface ApplyRequest {
  manager: string;
  force: boolean;
  namespace?: string;
  name: string;
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Server-side apply: creates an object that does not exist. */
export function applyObject(
  cluster: SimulatedCluster,
  resource: Resource,
  live: KubeObject | undefined,
  config: Manifest,
  wanted: ApplyRequest,
  how: Writing,
): { object: KubeObject; created: boolean } {
  if (resource.converter) return applyObject(cluster, storedRow(resource), live, asStored(resource, config), wanted, how);
  if (config.metadata.managedFields) throw badRequest("metadata.managedFields must be nil");
  if (config.metadata.name !== undefined && config.metadata.name !== wanted.name) {
    throw badRequest(`the name of the object (${config.metadata.name}) does not match the name on the URL (${wanted.name})`);
  }
  const applying: Applying = {
    manager: wanted.manager,
    force: wanted.force,
    apiVersion: apiVersionOf(resource),
    ...(how.subresource !== undefined && { subresource: how.subresource }),
    hasStatus: resource.subresources.includes("status"),
    schema: schemaOf(resource),
    time: timestamp(cluster.lab.now()),
  };
  checkTypes(config, wanted, applying);
  const plain: Manifest = { ...config, metadata: { ...config.metadata, name: wanted.name } };
  const noted: Writing = {
    ...how,
    managed: (object) =>
      managedAfterApply(
        live?.metadata.managedFields ?? [],
        live,
        wanted.manager === "kubectl" ? withNoteOf(live, object) : object,
        plain,
        applying,
      ),
  };
  if (!live) return { object: createObject(cluster, resource, wanted.namespace, withoutVersion(plain), noted), created: true };
  const merged = applyConfig(live, plain, applying);
  const { resourceVersion, uid } = config.metadata;
  const metadata = { ...merged.metadata, resourceVersion: resourceVersion ?? "", uid: uid ?? live.metadata.uid };
  keepLastApplied(metadata, wanted.manager, config);
  return { object: replaceObject(cluster, resource, live, { ...merged, metadata }, noted), created: false };
}

function checkTypes(config: Manifest, { name, namespace }: ApplyRequest, { schema }: Applying): void {
  const problems = typeProblems(config, schema);
  if (problems.length === 0) return;
  const list = problems.length === 1 ? problems[0] : `errors:\n  ${problems.join("\n  ")}`;
  const what = `${[namespace, name].filter((part) => part !== undefined).join("/")}; ${groupVersion(config.apiVersion)}, Kind=${config.kind}`;
  throw new ApiError(500, "", `failed to create typed patch object (${what}): ${list}`);
}

/** Formats the version as Go prints it: the group, which may be empty, before the slash. */
function groupVersion(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
}

/** Updates kubectl's last-applied annotation, so that users can return to client-side apply. */
function keepLastApplied(metadata: Partial<KubeObject["metadata"]>, manager: string, config: Manifest): void {
  if (manager !== "kubectl" || metadata.annotations?.[LAST_APPLIED] === undefined) return;
  metadata.annotations = { ...metadata.annotations, [LAST_APPLIED]: `${JSON.stringify(config)}\n` };
}

/** The server updates the annotation: it keeps its previous field manager. */
function withNoteOf(live: KubeObject | undefined, object: KubeObject): KubeObject {
  const note = live?.metadata.annotations?.[LAST_APPLIED];
  if (note === undefined || object.metadata.annotations?.[LAST_APPLIED] === undefined) return object;
  const annotations = { ...object.metadata.annotations, [LAST_APPLIED]: note };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function withoutVersion(manifest: Manifest): Manifest {
  const { resourceVersion: _, uid: __, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}
