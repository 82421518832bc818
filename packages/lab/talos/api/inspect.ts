import type { ServiceImpl } from "@connectrpc/connect";
import { DependencyEdgeType, type InspectService } from "@talosmith/wire/gen/inspect/inspect_pb.js";
import { resourceTypes } from "../resources/types.ts";
import { callerOf, looking } from "./caller.ts";

/** The writers of each resource type: the lab has no controllers that read resources, so the graph has no other edges. */
export const inspectMethods: Partial<ServiceImpl<typeof InspectService>> = {
  controllerRuntimeDependencies: (_, context) =>
    looking(callerOf(context), ({ boot }) => ({
      messages: [
        {
          edges: resourceTypes(boot.system.version)
            .filter(({ owner }) => owner !== "")
            .map(({ type, namespace, owner }) => ({
              controllerName: owner,
              edgeType: DependencyEdgeType.OUTPUT_EXCLUSIVE,
              resourceNamespace: namespace,
              resourceType: type,
            })),
        },
      ],
    })),
};
