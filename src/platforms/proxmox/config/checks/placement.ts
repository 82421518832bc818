import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { nearest } from "../../../../config/nearest.ts";
import type { Report } from "../../../../config/report.ts";
import type { ProxmoxFacts, ProxmoxPool } from "../draft.ts";
import { vmidOf } from "../vmid.ts";
import type { ProxmoxCheck } from "./check.ts";

const LARGEST_VMID = 999_999_999;

/** Checks that hosts are configured and VM ids unique. */
export const placement: ProxmoxCheck = (facts, report) => {
  const vmids = new Map<number, string>();
  for (const pool of facts.pools) {
    knownHost(pool, facts, report);
    ownVmids(pool, vmids, report);
  }
};

function knownHost(pool: ProxmoxPool, { hosts }: ProxmoxFacts, report: Report): void {
  const { host } = pool.settings;
  if (host === undefined || hosts === undefined || hosts.includes(host)) return;
  const path = pool.origin("host");
  const near = nearest(host, hosts);
  report.problem(path, {
    message: `${pathName(path)} is not among the hosts of proxmox`,
    hint: near === undefined ? `use ${hosts.join(", ")}, or add it to proxmox.hosts` : `did you mean ${near}?`,
    remark: `hosts are ${hosts.join(", ")}`,
  });
}

function ownVmids(pool: ProxmoxPool, taken: Map<number, string>, report: Report): void {
  const path = pool.origin("vmid");
  const all = pool.nodes.map(({ name }, offset) => ({ name, vmid: vmidOf(pool, offset) }));
  const twice = all.find(({ vmid }) => vmid !== undefined && taken.has(vmid));
  if (twice?.vmid !== undefined)
    report.problem(path, {
      message: `${pathName(path)} gives ${twice.name ?? "a node"} the VM id of ${taken.get(twice.vmid)}`,
      hint: "choose another number, or remove vmid to have one derived",
      remark: `${twice.vmid} is taken by ${taken.get(twice.vmid)}`,
    });
  const last = all.at(-1)?.vmid;
  if (last !== undefined && last > LARGEST_VMID)
    report.problem(path, {
      message: `${pathName(path)} leaves no room for ${pool.nodes.length} ids`,
      hint: `begin lower: the largest VM id is ${LARGEST_VMID}`,
    });
  for (const { name, vmid } of all) if (vmid !== undefined) taken.set(vmid, name ?? `nodes[${pool.index}]`);
}
