import { type Check, check, type Finding } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { type HostStatus, hostStatus } from "../client/nodes.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { fail, inGiB, ok, some, warn } from "./finding.ts";
import { hostsOf, setsMemory } from "./kinds.ts";
import { PREFLIGHT } from "./version.ts";

const MiB = 1024 ** 2;

/** Checks that the hosts support virtual machines and have enough memory for them. */
export function hostsHaveRoom(site: Site, found: Inventory): Check {
  return check({
    id: "preflight/memory",
    stage: "preflight",
    title: "processors and memory of the hosts",
    needs: [{ step: PREFLIGHT }],
    before: setsMemory,
    run: async (c, changes) => {
      const looks = (await hostsOf(site, found, c, changes)).map(async ([host, nodes]) =>
        roomFindings(site, host, await hostStatus(site.client, host, c.signal), demandOf(nodes, found)),
      );
      return (await Promise.all(looks)).flat();
    },
  });
}

interface Demand {
  node: ProxmoxNodeConfig;
  /** The part of its memory, in bytes, that its machine does not have yet. */
  more: number;
}

function demandOf(nodes: readonly ProxmoxNodeConfig[], { owned, there }: Inventory): Demand[] {
  return nodes.map((node) => {
    const machine = owned.find(({ name }) => name === node.name);
    // The memory of a machine on an offline host is unknown.
    const present = machine ? (machine.memory ?? node.memory) : there.has(node.name) ? node.memory : 0;
    return { node, more: Math.max(0, node.memory - present) * MiB };
  });
}

function roomFindings({ env }: Site, host: string, status: HostStatus, demands: readonly Demand[]): Finding[] {
  const { memoryBytes: total, freeBytes: free, cpus } = status;
  const size = `${inGiB(total)} of memory, ${inGiB(free)} free`;
  const where = ({ node }: Demand) => env.where(["nodes", node.name, "memory"]) ?? env.where(["nodes", node.name]);
  if (status.virtualisation === false)
    return [
      fail(
        "NO_VIRTUALISATION",
        `the processor of ${host} reports no support for virtualisation`,
        `enable VT-x or AMD-V (SVM) in its firmware; if ${host} is itself a virtual machine, give it the processor type host`,
      ),
    ];
  const tooLarge = demands.filter(({ node }) => node.memory * MiB > total);
  // Existing machines already run with the memory they have.
  if (tooLarge.length > 0)
    return tooLarge.map((one) =>
      (one.more > 0 ? fail : warn)(
        "TOO_MUCH_MEMORY",
        `${one.node.name} has ${inGiB(one.node.memory * MiB)} of memory in the config, but its host ${host} has ${inGiB(total)}`,
        `give ${one.node.name} less memory, or place it on a larger host (host:)`,
        where(one),
      ),
    );
  const all = sum(demands.map(({ node }) => node.memory * MiB));
  const growing = demands.filter(({ more }) => more > 0);
  const [first] = growing;
  if (all > total)
    return [
      // Proxmox starts them all the same, and a run that was cut off while it replaced one of them must be able to go on.
      warn(
        "MEMORY_OVERCOMMITTED",
        `${host} has ${size}; its machines get ${inGiB(all)} in total: ${some(demands.map(({ node }) => `${node.name} ${inGiB(node.memory * MiB)}`))}`,
        "the host may kill machines when its memory runs out: give them less, spread them over more hosts, or set balloon: to the memory that each needs at least",
        first && where(first),
      ),
    ];
  const more = sum(growing.map((one) => one.more));
  if (more > free)
    return [
      warn(
        "MEMORY_TIGHT",
        `${host} has ${size}; the planned machines need ${inGiB(more)} more`,
        `stop something else on ${host}, give them less memory, or place them elsewhere (host:)`,
        first && where(first),
      ),
    ];
  return [ok("HOST_ROOM", `${host}: ${cpus} processors, ${size}`)];
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
