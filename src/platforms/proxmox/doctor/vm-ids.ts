import { type Check, check } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import { vmsOfCluster } from "../client/qemu.ts";
import type { Site } from "../site.ts";
import { at, fail, ok } from "./finding.ts";
import { PREFLIGHT } from "./version.ts";

/** Checks that VM ids in the config are free or belong to their machines already. Ids that the config leaves out are chosen from the free ones. */
export function idsAreFree(site: Site, found: Inventory): Check[] {
  const { env, client } = site;
  const nodes = env.config.nodes.filter((node) => node.vmid !== undefined);
  if (nodes.length === 0) return [];
  return [
    check({
      id: "doctor/vm-ids",
      stage: "preflight",
      title: "VM ids",
      needs: [{ step: PREFLIGHT }],
      run: async (c) => {
        const all = new Map((await vmsOfCluster(client, c.signal)).map((vm) => [vm.vmid, vm]));
        const taken = nodes.flatMap((node) => {
          const there = all.get(node.vmid as number);
          if (!there || found.owned.some((one) => one.name === node.name && one.id === node.vmid)) return [];
          const what = there.kind === "vm" ? "VM" : "container";
          return [
            fail(
              "VMID_TAKEN",
              `${at(env.where(["nodes", node.name, "vmid"]))}VM id ${node.vmid} of ${node.name} is taken by the ${what} ${there.name ?? there.vmid} on ${there.host}`,
              "choose another vmid, or leave it out to have one derived",
            ),
          ];
        });
        return taken.length > 0 ? taken : [ok("VMIDS", `${nodes.length} VM ids are free or belong to these nodes already`)];
      },
    }),
  ];
}
