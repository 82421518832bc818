import { contains, parseIp } from "../../lib/ip.ts";
import { find, pathName } from "../../lib/yaml/tree.ts";
import type { Report } from "../report.ts";
import { isVip } from "./endpoint.ts";
import { type Check, type Facts, placesOfSetting } from "./facts.ts";

/** What describes a machine that is made; on metal there are machines already. */
const OF_MADE_MACHINES = [
  ..."host cores sockets numa cpu cpuFlags cpuUnits affinity memory balloon hugepages machine firmware tpm".split(" "),
  ..."disk disks diskFlags controller storage bridge pci usb serial display agent".split(" "),
  ..."tags onboot startup pool protection description vmid".split(" "),
];
/** Of a network card. */
const OF_MADE_CARDS = ["bridge", "vlan", "queues", "firewall"];

/** Nothing is said about machines that somebody else made, and a floating address knows its network card. */
export const metal: Check = (facts, report) => {
  if (find(report.tree, ["proxmox"]) !== undefined)
    report.problem(["proxmox"], {
      message: "proxmox is set, and platform is metal",
      hint: "remove the section, or set platform: proxmox",
      on: "key",
    });
  for (const key of ["method", "clone"])
    if (find(report.tree, ["image", key]) !== undefined)
      report.problem(["image", key], {
        message: `image.${key} is how machines are made, and platform metal makes none`,
        hint: "remove it: start the machines from the factory's metal image yourself",
        on: "key",
      });
  noMadeMachines(facts, report);
  noMadeCards(facts, report);
  cardForVip(facts, report);
};

function noMadeMachines(facts: Facts, report: Report): void {
  for (const path of OF_MADE_MACHINES.flatMap((key) => placesOfSetting(facts, key)))
    if (find(report.tree, path) !== undefined)
      report.problem(path, {
        message: `${pathName(path)} describes a machine to be made, and platform metal makes none`,
        hint: "remove it: the machine is what it is",
        on: "key",
      });
}

function noMadeCards({ pools }: Facts, report: Report): void {
  for (const { settings, origin } of pools)
    for (const index of (settings.nics ?? []).keys())
      for (const key of OF_MADE_CARDS) {
        const path = [...origin("nics"), index, key];
        if (find(report.tree, path) !== undefined)
          report.problem(path, {
            message: `${pathName(path)} describes a card to be made, and platform metal makes none`,
            hint: key === "vlan" ? "write vlans: [{ id: 20, ip: … }] for a VLAN on the card" : "remove it",
            on: "key",
          });
      }
}

/** A control plane whose address is wrong may be the one that was meant. */
function allAddressed({ pools, networks: [first] }: Facts): boolean {
  const nodes = pools.filter(({ role }) => role === "controlplane").flatMap((pool) => pool.nodes);
  return nodes.every(({ addresses: [own] }) => own !== undefined && first !== undefined && contains(first, own));
}

function cardForVip(facts: Facts, report: Report): void {
  const { endpoint, vip } = facts.draft.cluster ?? {};
  const address = endpoint === undefined ? undefined : parseIp(endpoint);
  const floating = vip ?? (address !== undefined && isVip(facts, address) ? endpoint : undefined);
  if (floating === undefined || (vip === undefined && !allAddressed(facts))) return;
  const line = report.line(["cluster", vip === undefined ? "endpoint" : "vip"]);
  for (const { index, role, own, settings } of facts.pools) {
    if (role !== "controlplane" || report.has(["nodes", index, "mac"]) || settings.bond !== undefined) continue;
    const several = own.count !== undefined && own.count > 1;
    report.problem(
      ["nodes", index],
      {
        message: `nodes[${index}].mac is missing: the virtual IP ${floating} (${line}) must know its network card`,
        hint: `${several ? "write the control planes one by one, each with its own" : "add to this entry:"}\nmac: "BC:24:11:00:00:11"\nor let cluster.endpoint be the address of a control plane, a DNS name or a load balancer`,
        remark: "mac is missing",
      },
      "CONFIG_MISSING_KEY",
    );
  }
}
