import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { vmsOfCluster } from "../client/qemu.ts";
import { idTaken } from "../places.ts";
import type { Site } from "../site.ts";
import { fail, ok } from "./finding.ts";
import { createsMachine } from "./kinds.ts";
import { PREFLIGHT } from "./version.ts";

/** Checks that VM ids in the config are free or belong to their machines already. Ids that the config leaves out are chosen from the free ones. */
export function idsAreFree(site: Site, found: Inventory): Check[] {
  const { env, client } = site;
  const nodes = env.config.nodes.filter((node) => node.vmid !== undefined);
  if (nodes.length === 0) return [];
  return [
    check({
      id: "preflight/vm-ids",
      stage: "preflight",
      title: "VM ids",
      needs: [{ step: PREFLIGHT }],
      before: createsMachine,
      run: async (c) => {
        const all = new Map((await vmsOfCluster(client, c.signal)).map((vm) => [vm.vmid, vm]));
        const taken = nodes.flatMap((node) => {
          const there = all.get(node.vmid as number);
          if (!there || found.owned.some((one) => one.name === node.name && one.id === node.vmid)) return [];
          const { code, message, hint = "", where } = idTaken(env, node, there);
          return [fail(code, message, hint, where)];
        });
        return taken.length > 0 ? taken : [ok("VMIDS", `${nodes.length} VM ids are free or belong to these nodes already`)];
      },
    }),
  ];
}
