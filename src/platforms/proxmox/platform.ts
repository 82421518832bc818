import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { AnyStep, Read, Stage, WorkItem } from "../../engine/step.ts";
import { type Maintenance, withoutCluster } from "../../maintenance/maintenance.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { Inventory, Platform } from "../platform.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { checks } from "./doctor/checks.ts";
import { keptDisks, owned, stuckVms, unreadable } from "./found.ts";
import { type Machine, macsOf } from "./machine.ts";
import { powerControl } from "./power-control.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import type { Scan } from "./scan.ts";
import { proxmoxShelf } from "./shelf/shelf.ts";
import { openSite, type Site } from "./site.ts";
import { sourcesOf } from "./sources.ts";
import { bootstrappedMarks } from "./steps/bootstrapped-marks.ts";
import { isoDetached } from "./steps/iso-detached.ts";
import { machine, machineStepId } from "./steps/machine.ts";
import { machineRemoval } from "./steps/machine-removal.ts";
import { namesakesOf } from "./steps/namesakes.ts";

/** Virtual machines on Proxmox VE. */
export function proxmoxPlatform(world: World, env: ProxmoxEnvironment, talos: TalosNodes): Platform {
  const site = openSite(world, env, talos);
  const nodes = new Map(env.config.nodes.map((node) => [node.name, node]));
  return {
    inventory: async (environment, c, { beforeRemoval = false } = {}) => {
      if (environment === undefined) return { environment, owned: [], there: new Set(), foreign: [] };
      if (beforeRemoval) site.places.awaitEveryCreation();
      const found = await site.places.survey(c, environment);
      const machines = [...found.machines.values(), ...(await untagged(site, c, environment, found))];
      const known = [
        ...machines.map((machine) => owned(env, machine, nodes.get(machine.mark.node))),
        ...found.unreadable.map((vm) => unreadable(env, environment, vm)),
      ].sort((a, b) => (a.name < b.name ? -1 : 1));
      return {
        environment,
        there: new Set(known.map(({ name }) => name)),
        owned: known,
        foreign: [
          ...found.copies.map((vm) => ({ where: `VM ${vm.vmid} on ${vm.host}`, why: "a copy of a machine of this cluster" })),
          ...stuckVms(site),
        ],
        kept: keptDisks(environment, found, machines),
      };
    },
    namesakes: (c) => namesakesOf(site, c),
    steps: (stage, found, provisioning) => stepsOf(site, stage, found, provisioning?.maintenance ?? withoutCluster),
    checks: (found) => checks(site, found),
    mac: (name, environment, card) => {
      const node = nodes.get(name);
      return node && macsOf(node, environment)[card];
    },
    machine: (node) => ({ step: machineStepId(node) }),
    removal: (one, consent): AnyStep[] => {
      const { vmid, host, environment } = one.detail as { vmid: number; host: string; environment: string };
      return [machineRemoval(site, { environment, cluster: env.config.cluster.name, name: one.name, vmid, host }, consent)];
    },
    power: powerControl(site),
    shelf: proxmoxShelf(site),
    calls: () => site.meter.calls,
    close: () => site.client.close(),
  };
}

/** Machines of this environment without tags: lists are filtered by tags, which users can remove, so the nodes' own ids are read as well. */
async function untagged(site: Site, c: Read, environment: string, found: Scan): Promise<Machine[]> {
  const missing = site.env.config.nodes.filter((node) => !found.machines.has(node.name));
  const places = missing.map(({ name }) =>
    site.places.find(c, environment, name).catch((error: unknown) => {
      // The machine's own step fails with the same error, and adds the line of the config.
      if (error instanceof TalosmithError) return undefined;
      throw error;
    }),
  );
  return (await Promise.all(places)).flatMap((place) => place?.machine ?? []);
}

function stepsOf(site: Site, stage: Stage, found: Inventory, maintenance: Maintenance): WorkItem[] {
  const { nodes } = site.env.config;
  const homes = site.places.homes();
  // Only images for new machines are downloaded.
  const missing = nodes.filter(
    (node) =>
      !found.owned.some((one) => one.name === node.name && one.address === node.ip && one.role === node.role && !one.remade),
  );
  const sources = sourcesOf(site, missing, homes);
  const installsItself = (node: ProxmoxNodeConfig) =>
    found.owned.some((one) => one.name === node.name && one.detail.iso !== undefined) || sources.of(node.name)?.method === "iso";
  switch (stage) {
    case "image":
      return sources.steps;
    case "provision":
      return nodes.map((node) => machine(site, node, homes.get(node.name) as string, sources.of(node.name), maintenance));
    case "bootstrap":
      return [bootstrappedMarks(site, found), ...nodes.filter(installsItself).map((node) => isoDetached(site, node, found))];
    default:
      return [];
  }
}
