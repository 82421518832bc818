import { createHash } from "node:crypto";
import type { SimulatedCluster } from "../cluster.ts";
import type { Loose } from "../objects.ts";
import { resourcesOf } from "../resources/catalogue.ts";
import { apiVersionOf, type Resource } from "../resources/resource.ts";
import { schemasOf } from "./schemas.ts";
import { definitionName } from "./type-names.ts";

/** The OpenAPI documents: paths, kinds, parameters and object types. Descriptions are left out: `kubectl explain` shows fields and types. */

const PARAMETERS = ["dryRun", "fieldManager", "fieldValidation", "force"];
const REF2 = "#/definitions/";
const REF3 = "#/components/schemas/";

function pathOf(row: Resource): string {
  const root = row.group === "" ? "/api/v1" : `/apis/${row.group}/${row.version}`;
  return `${root}${row.namespaced ? "/namespaces/{namespace}" : ""}/${row.resource}`;
}

function placeOf(row: Resource): string {
  return row.group === "" ? "api/v1" : `apis/${apiVersionOf(row)}`;
}

const hashes = new WeakMap<Resource, string>();

/** Rows are immutable: a changed schema is a new row. */
function hashOf(rows: readonly Resource[]): string {
  const hash = createHash("sha512");
  for (const row of rows) {
    const known = hashes.get(row) ?? createHash("sha256").update(JSON.stringify(row)).digest("hex");
    hashes.set(row, known);
    hash.update(known);
  }
  return hash.digest("hex").toUpperCase();
}

export function openapi3Index(cluster: SimulatedCluster): Loose {
  const rows = resourcesOf(cluster);
  const places = [...new Set(rows.map(placeOf))];
  const urlOf = (place: string) => `/openapi/v3/${place}?hash=${hashOf(rows.filter((row) => placeOf(row) === place))}`;
  return { paths: Object.fromEntries(places.map((place) => [place, { serverRelativeURL: urlOf(place) }])) };
}

/** `path` is "api/v1" or "apis/<group>/<version>". */
export function openapi3(cluster: SimulatedCluster, path: string): Loose {
  const rows = resourcesOf(cluster).filter((row) => placeOf(row) === path);
  if (rows.length === 0) return undefined;
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: cluster.settings.kubernetes },
    paths: Object.fromEntries(
      rows.flatMap((row) => [
        [pathOf(row), { get: operation3(row, "list"), post: operation3(row, "post") }],
        [
          `${pathOf(row)}/{name}`,
          {
            get: operation3(row, "get"),
            put: operation3(row, "put"),
            patch: operation3(row, "patch"),
            delete: operation3(row, "delete"),
          },
        ],
      ]),
    ),
    components: { schemas: schemasOf(rows, REF3) },
  };
}

function operation3(row: Resource, action: string): Loose {
  const content = { "application/json": { schema: { $ref: `${REF3}${definitionName(row)}` } } };
  return {
    operationId: `${action}${row.kind}`,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk(row),
    parameters: PARAMETERS.map((name) => ({ name, in: "query", schema: { type: "string", uniqueItems: true } })),
    ...(["post", "put"].includes(action) && { requestBody: { content, required: true } }),
    responses: { "200": { description: "OK", ...(!["list", "delete"].includes(action) && { content }) } },
  };
}

export function openapi2(cluster: SimulatedCluster): Loose {
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
            responses: { "200": { description: "OK", schema: { $ref: `${REF2}${definitionName(row)}` } } },
          },
        },
      ]),
    ),
    definitions: schemasOf(rows, REF2),
  };
}

function gvk({ group, version, kind }: Resource): Loose {
  return { group, version, kind };
}
