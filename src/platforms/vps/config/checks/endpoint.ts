import { contains, parseIp } from "@talosmith/lib/ip.ts";
import { label } from "../../../../config/checks/addresses.ts";
import { ownerOf } from "../../../../config/checks/endpoint.ts";
import type { VpsCheck } from "./check.ts";

const INSTEAD = "use the address of a control plane, a DNS name of the control planes, or a load balancer's address";

/** Checks the endpoint: rented servers have no virtual IP, so it must be an existing address or a name. */
export const endpointOfServers: VpsCheck = (facts, report) => {
  if (report.has(["cluster", "vip"]))
    report.problem(["cluster", "vip"], {
      message: "cluster.vip is not possible: no address floats between rented servers",
      hint: `remove it, and set cluster.endpoint: ${INSTEAD}`,
      on: "key",
    });
  const address = parseIp(facts.draft.cluster?.endpoint ?? "");
  if (address === undefined) return;
  const owner = ownerOf(address, facts);
  if (owner?.pool.role === "worker")
    report.problem(["cluster", "endpoint"], {
      message: `cluster.endpoint is the address of ${label(owner.node, owner.pool)}, a worker`,
      hint: INSTEAD,
      remark: `${label(owner.node, owner.pool)} is a worker`,
    });
  // An address that could not be read may be the one that is meant.
  const all = facts.pools.flatMap(({ nodes }) =>
    nodes.flatMap(({ addresses }) => (addresses.length === 0 ? [undefined] : addresses)),
  );
  if (owner !== undefined || all.includes(undefined)) return;
  if (facts.networks.some((network) => network !== undefined && contains(network, address)))
    report.problem(["cluster", "endpoint"], {
      message: "cluster.endpoint is an address of network.cidr that no node has, and no address floats between rented servers",
      hint: `${INSTEAD}; for a load balancer inside that network, remove network.cidr and write the nodes' addresses with their prefix length`,
      remark: "no node has this address",
    });
};
