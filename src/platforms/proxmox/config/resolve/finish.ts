import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Facts } from "../../../../config/checks/facts.ts";
import type { NodeConfig } from "../../../../config/config.ts";
import type { Finished } from "../../../../config/platform.ts";
import type { PoolNode } from "../../../../config/pools.ts";
import type { Reading } from "../../../../config/reading.ts";
import { defined, sure } from "../../../../config/resolve/values.ts";
import { sshKeyAt } from "../../../../config/ssh-key.ts";
import type { ProxmoxNodeConfig } from "../config-on-proxmox.ts";
import { onProxmox, type ProxmoxFacts, type ProxmoxPool, proxmoxPool } from "../draft.ts";
import { tlsOf } from "../tls.ts";
import { vmidOf } from "../vmid.ts";
import { diskVolumesOf, firstDisk } from "./disks.ts";
import { machineOf, nicsOf } from "./machine.ts";
import { proxmoxOf } from "./proxmox.ts";

export function read(facts: Facts, reading: Reading): (redactor: Redactor) => Finished {
  const own = onProxmox(facts);
  const { proxmox, image } = own.draft;
  const tls = tlsOf(own.draft, reading);
  const sshKey = sshKeyAt(proxmox?.ssh?.key, ["proxmox", "ssh", "key"], reading);
  return (redactor) => ({
    sections: { proxmox: proxmoxOf(own, sure(tls), sshKey, redactor) },
    image: { method: image?.method ?? "import", clone: image?.clone ?? "full" },
    pool: (pool) => machinesOf(own, proxmoxPool(pool), redactor),
  });
}

/** The virtual machines that a pool's nodes are. */
function machinesOf(facts: ProxmoxFacts, pool: ProxmoxPool, redactor: Redactor) {
  const machine = machineOf(facts, pool);
  const volumes = diskVolumesOf(pool, redactor);
  const systemDisk = firstDisk(pool, facts.draft.image?.method === "iso");
  return (node: NodeConfig, _: PoolNode, offset: number): ProxmoxNodeConfig => {
    // The bridge tags a machine's packets, so the node itself has no VLAN.
    const { tag, ...untagged } = node;
    return {
      ...untagged,
      installDisk: systemDisk,
      volumes: [...node.volumes, ...volumes],
      ...machine,
      nics: nicsOf(pool, node.nics, machine.bridge),
      ...defined({ vmid: vmidOf(pool, offset) }),
    };
  };
}
