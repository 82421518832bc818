import type { Cluster } from "../cluster.ts";
import { contentHash } from "../identity.ts";
import type { Loose } from "../objects.ts";
import { resourcesOf } from "../resources/catalogue.ts";
import { apiVersionOf, type Resource } from "../resources/resource.ts";

/**
 * As much of the API's own description as clients act upon: which paths there are, which kinds they speak, which parameters they take. Objects are
 * described as free-form, so that a client checks nothing by itself.
 */

const PARAMETERS = ["dryRun", "fieldManager", "fieldValidation", "force"];

function pathOf(row: Resource): string {
  const root = row.group === "" ? "/api/v1" : `/apis/${row.group}/${row.version}`;
  return `${root}${row.namespaced ? "/namespaces/{namespace}" : ""}/${row.resource}`;
}

function definitionName(row: Resource): string {
  const group = row.group === "" ? "core" : row.group.split(".")[0];
  return row.custom
    ? `${row.group.split(".").reverse().join(".")}.${row.version}.${row.kind}`
    : `io.k8s.api.${group}.${row.version}.${row.kind}`;
}

export function openapi3Index(cluster: Cluster): Loose {
  const versions = [...new Set(resourcesOf(cluster).map((row) => (row.group === "" ? "api/v1" : `apis/${apiVersionOf(row)}`)))];
  const hash = contentHash(resourcesOf(cluster), 16);
  return { paths: Object.fromEntries(versions.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }])) };
}

/** `path` is "api/v1" or "apis/<group>/<version>". */
export function openapi3(cluster: Cluster, path: string): Loose {
  const rows = resourcesOf(cluster).filter((row) => (row.group === "" ? "api/v1" : `apis/${apiVersionOf(row)}`) === path);
  if (rows.length === 0) return undefined;
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: cluster.settings.kubernetes },
    paths: Object.fromEntries(
      rows.flatMap((row) => [
        [pathOf(row), { post: operation3(row, "post") }],
        [`${pathOf(row)}/{name}`, { get: operation3(row, "get"), put: operation3(row, "put"), patch: operation3(row, "patch") }],
      ]),
    ),
    components: { schemas: Object.fromEntries(rows.map((row) => [definitionName(row), schema(row)])) },
  };
}

function operation3(row: Resource, action: string): Loose {
  return {
    operationId: `${action}${row.kind}`,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk(row),
    parameters: PARAMETERS.map((name) => ({ name, in: "query", schema: { type: "string", uniqueItems: true } })),
    responses: { "200": { description: "OK" } },
  };
}

export function openapi2(cluster: Cluster): Loose {
  const rows = resourcesOf(cluster);
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: cluster.settings.kubernetes },
    paths: Object.fromEntries(
      rows.map((row) => [
        `${pathOf(row)}/{name}`,
        {
          patch: {
            consumes: ["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"],
            "x-kubernetes-group-version-kind": gvk(row),
            parameters: PARAMETERS.map((name) => ({ name, in: "query", type: "string", uniqueItems: true })),
            responses: { "200": { description: "OK" } },
          },
        },
      ]),
    ),
    definitions: Object.fromEntries(rows.map((row) => [definitionName(row), schema(row)])),
  };
}

function schema(row: Resource): Loose {
  return { type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-group-version-kind": [gvk(row)] };
}

function gvk({ group, version, kind }: Resource): Loose {
  return { group, version, kind };
}
