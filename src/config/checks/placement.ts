import { pathName } from "@talosmith/lib/yaml/tree.ts";
import { nearest } from "../nearest.ts";
import type { Pool } from "../pools.ts";
import type { Report } from "../report.ts";
import type { Check, Facts } from "./facts.ts";

const LARGEST_VMID = 999_999_999;

/** Hosts exist in the file, and what Proxmox tells machines apart by is told apart here. */
export const placement: Check = (facts, report) => {
  const vmids = new Map<number, string>();
  for (const pool of facts.pools) {
    knownHost(pool, facts, report);
    ownVmids(pool, vmids, report);
  }
};

function knownHost(pool: Pool, { hosts }: Facts, report: Report): void {
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

function ownVmids(pool: Pool, taken: Map<number, string>, report: Report): void {
  const path = pool.origin("vmid");
  const twice = pool.nodes.find(({ vmid }) => vmid !== undefined && taken.has(vmid));
  if (twice?.vmid !== undefined)
    report.problem(path, {
      message: `${pathName(path)} gives ${twice.name ?? "a node"} the VM id of ${taken.get(twice.vmid)}`,
      hint: "choose another number, or remove vmid to have one derived",
      remark: `${twice.vmid} is taken by ${taken.get(twice.vmid)}`,
    });
  const last = pool.nodes.at(-1)?.vmid;
  if (last !== undefined && last > LARGEST_VMID)
    report.problem(path, {
      message: `${pathName(path)} leaves no room for ${pool.nodes.length} ids`,
      hint: `begin lower: the largest VM id is ${LARGEST_VMID}`,
    });
  for (const { name, vmid } of pool.nodes) if (vmid !== undefined) taken.set(vmid, name ?? `nodes[${pool.index}]`);
}
