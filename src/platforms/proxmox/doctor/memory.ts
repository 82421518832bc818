import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { hostStatus } from "../client/nodes.ts";
import type { Site } from "../site.ts";
import { fail, ok, warn } from "./finding.ts";
import { hostsToAsk, nodesByHost } from "./look.ts";
import { PREFLIGHT } from "./version.ts";

const GiB = 1024 ** 3;
const MiB = 1024 ** 2;

/** Checks that the hosts support virtual machines and have enough memory for them. */
export function hostsHaveRoom(site: Site, found: Inventory): Check {
  return check({
    id: "doctor/hosts",
    stage: "preflight",
    title: "processors and memory of the hosts",
    needs: [{ step: PREFLIGHT }],
    run: async (c) => {
      const byHost = nodesByHost(site);
      const looks = (await hostsToAsk(site, c)).map(async (host) => {
        const status = await hostStatus(site.client, host, c.signal);
        const nodes = byHost.get(host) ?? [];
        const all = sum(nodes.map((node) => node.memory * MiB));
        const more = sum(nodes.filter(({ name }) => !found.there.has(name)).map((node) => node.memory * MiB));
        const size = `${gib(status.memoryBytes)} of memory, ${gib(status.freeBytes)} free`;
        if (status.virtualisation === false)
          return fail(
            "NO_VIRTUALISATION",
            `the processor of ${host} reports no support for virtualisation`,
            `enable VT-x or AMD-V (SVM) in its firmware; if ${host} is itself a virtual machine, give it the processor type host`,
          );
        if (all > status.memoryBytes)
          return warn(
            "MEMORY_OVERCOMMITTED",
            `${host} has ${size}; its machines get ${gib(all)} in total`,
            "the host may kill machines when its memory runs out: give them less, or spread them over more hosts",
          );
        if (more > status.freeBytes)
          return warn(
            "MEMORY_TIGHT",
            `${host} has ${size}; the machines to be created need ${gib(more)}`,
            `stop something else on ${host}, give them less memory, or place them elsewhere (host:)`,
          );
        return ok("HOST_ROOM", `${host}: ${status.cpus} processors, ${size}`);
      });
      return Promise.all(looks);
    },
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const gib = (bytes: number) => `${Math.round(bytes / GiB)} GiB`;
