import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import type { ClusterInfo, ClusterService, HealthCheckRequest } from "@talosmith/wire/gen/cluster/cluster_pb.js";
import ipaddr from "ipaddr.js";
import { changeOrMoment } from "../bell.ts";
import { machineConfig } from "../config/machine-config.ts";
import { primaryAddress } from "../machine/network.ts";
import { talosState } from "../state.ts";
import { minorOf } from "../versions.ts";
import { type Called, callerOf, configOf, looking, requireControlPlane } from "./caller.ts";
import type { Expected } from "./expected-node.ts";
import { CHECKS, SKIP } from "./health-checks.ts";

export const clusterMethods: Partial<ServiceImpl<typeof ClusterService>> = { healthCheck };

const LATE = () => new ConnectError("context deadline exceeded", Code.DeadlineExceeded);

/** Runs one check after the other, each until it is met, and sends a line whenever its reason changes (docs/facts/talos.md#health-checks). */
async function* healthCheck(request: HealthCheckRequest, context: HandlerContext) {
  const caller = callerOf(context);
  const { clock } = caller.lab.world;
  const wait = request.waitTimeout;
  const end = clock.now() + (wait ? Number(wait.seconds) * 1000 + wait.nanos / 1e6 : 0);
  const nodes = looking(caller, (called) => expectedNodes(called, request.clusterInfo));
  yield { message: `discovered nodes: ${goList(nodes.map(({ address }) => address))}` };
  for (const { name, limitMs, assertion } of CHECKS) {
    let last = `waiting for ${name}: ...`;
    yield { message: last };
    const limit = looking(caller, ({ lab, boot }) => (minorOf(boot.system.version) < 13 ? lab.now() + limitMs : Infinity));
    for (;;) {
      if (clock.now() >= end || looking(caller, ({ lab }) => lab.now()) >= limit) throw LATE();
      const found = looking(caller, (called) => assertion(called, nodes));
      const line = `waiting for ${name}: ${found ?? "OK"}`.trim();
      if (line !== last) yield { message: line };
      last = line;
      if (found === undefined || found === SKIP) break;
      await changeOrMoment(caller.lab, context.signal);
      if (context.signal.aborted || caller.lab.closing.aborted) return;
    }
  }
}

/** Formats a list of quoted texts as Go does. */
function goList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
}

/** The nodes given in the request, or those of the discovery service, control planes first. */
function expectedNodes(called: Called, info: ClusterInfo | undefined): Expected[] {
  if (minorOf(called.boot.system.version) >= 13) requireControlPlane(called, "cluster health check");
  const [planes, workers] = [info?.controlPlaneNodes ?? [], info?.workerNodes ?? []];
  if (planes.length + workers.length > 0) {
    const node = (role: Expected["role"]) => (address: string) => ({ address: parsed(address), role });
    return [...planes.map(node("controlplane")), ...workers.map(node("worker"))];
  }
  const own = configOf(called);
  return Object.values(talosState(called.lab).machines)
    .flatMap((machine): Expected[] => {
      const config = machine.boot?.config === undefined ? undefined : machineConfig(machine.boot.config);
      const address = primaryAddress(machine);
      return config && address !== undefined && config.clusterId === own?.clusterId ? [{ address, role: config.role }] : [];
    })
    .sort((a, b) => (a.role === b.role ? (a.address < b.address ? -1 : 1) : a.role === "controlplane" ? -1 : 1));
}

function parsed(address: string): string {
  if (ipaddr.isValid(address)) return address;
  throw new ConnectError(`ParseAddr(${JSON.stringify(address)}): unable to parse IP`, Code.Unknown);
}
