import type { Cluster } from "../cluster.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, put } from "../store/store.ts";
import { isTrue, withConditions } from "./conditions.ts";

const DEFINITIONS = builtin("customresourcedefinitions.apiextensions.k8s.io");

/** New definitions are accepted and served. */
export function establishDefinitions(cluster: Cluster): void {
  for (const definition of all(cluster, DEFINITIONS)) {
    if (isTrue(definition, "Established")) continue;
    const storage = (definition.spec.versions ?? []).filter((version: { storage: boolean }) => version.storage);
    put(cluster, DEFINITIONS, {
      ...definition,
      status: {
        acceptedNames: definition.spec.names,
        storedVersions: storage.map((version: { name: string }) => version.name),
        conditions: withConditions(cluster, definition.status?.conditions, [
          { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
          {
            type: "Established",
            status: "True",
            reason: "InitialNamesAccepted",
            message: "the initial names have been accepted",
          },
        ]),
      },
    });
  }
}
