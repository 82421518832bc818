import type { Caller } from "./caller.ts";
import { etcdCalls } from "./etcd-calls.ts";
import { logCalls } from "./logs.ts";
import { changeCalls, readCalls } from "./machine-calls.ts";
import { nodeEvents } from "./node-events.ts";
import { listMembers, listResources, readMachineConfigs, readResource } from "./resources.ts";
import type { TalosNode } from "./talos-node.ts";
import { watchResources } from "./watch.ts";

/** The calls to a configured node of this cluster. */
export function configuredNode(caller: Caller): TalosNode {
  return {
    address: caller.address,
    ...readCalls(caller),
    ...changeCalls(caller),
    ...etcdCalls(caller),
    ...logCalls(caller),
    machineConfigs: (signal) => readMachineConfigs(caller, signal),
    members: (signal) => listMembers(caller, signal),
    resource: (of, signal) => readResource(caller, of, signal),
    resources: (of, signal) => listResources(caller, of, signal),
    watch: (of, signal) => watchResources(caller, of, signal),
    events: (options, signal) => nodeEvents(caller, options, signal),
  };
}
