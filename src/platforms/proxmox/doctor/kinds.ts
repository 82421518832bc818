import type { Change, Read } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { machineStepId } from "../steps/machine.ts";
import { hostsToAsk, nodesByHost } from "./look.ts";

/** Kinds of changes, which checks belong to. */

const isOfMachine = ({ step }: Change) => step.startsWith(machineStepId(""));
const sets = ({ fields }: Change, paths: RegExp) => fields.some(({ path }) => paths.test(path));

/** An image, ISO or template for new machines. */
export const bringsImages = ({ step, verb }: Change) => verb !== "delete" && /^(?:image|template)\//.test(step);

/** An image from the factory: templates are made of one that a host has already. */
export const downloadsImage = ({ step, verb }: Change) => verb !== "delete" && step.startsWith("image/");

/** A new machine, also in place of another. */
export const createsMachine = (change: Change) => isOfMachine(change) && ["create", "replace"].includes(change.verb);

export const setsDevices = (change: Change) =>
  createsMachine(change) || (isOfMachine(change) && sets(change, /^(?:hostpci|usb)\d/));

export const setsMemory = (change: Change) =>
  createsMachine(change) || (isOfMachine(change) && sets(change, /^(?:memory|balloon)$/));

export const setsDisks = (change: Change) =>
  bringsImages(change) || createsMachine(change) || (isOfMachine(change) && sets(change, /^(?:system )?disk\b/));

export const setsNetwork = (change: Change) =>
  createsMachine(change) || (isOfMachine(change) && sets(change, /\b(?:bridge|vlan)$/));

/** Everything that Proxmox writes. */
export const writes = (change: Change) => isOfMachine(change) || bringsImages(change);

/** For checks that no change depends on: only `doctor` runs them. */
export const nothing = () => false;

/** The nodes whose machines change; all without changes. */
export function nodesIn(
  nodes: readonly ProxmoxNodeConfig[],
  changes: readonly Change[] | undefined,
): readonly ProxmoxNodeConfig[] {
  return changes ? nodes.filter(({ name }) => changes.some(({ step }) => step === machineStepId(name))) : nodes;
}

/** The online hosts of the config, each with its machines: those where a machine changes; all without changes, and when other things change too. */
export async function hostsOf(
  site: Site,
  found: Inventory,
  c: Read,
  changes: readonly Change[] | undefined,
): Promise<[string, readonly ProxmoxNodeConfig[]][]> {
  const byHost = nodesByHost(site, found);
  const all = (await hostsToAsk(site, c)).map((host): [string, readonly ProxmoxNodeConfig[]] => [host, byHost.get(host) ?? []]);
  if (!changes?.every(isOfMachine)) return all;
  return all.filter(([, nodes]) => nodesIn(nodes, changes).length > 0);
}
