import type * as z from "zod";
import { addons } from "./addons.ts";
import { backup } from "./backup.ts";
import { cluster } from "./cluster.ts";
import { firewall } from "./firewall.ts";
import { image } from "./image.ts";
import { maintenance } from "./maintenance.ts";
import { network } from "./network.ts";
import { defaults, node } from "./node.ts";
import { patches } from "./patches.ts";
import { proxmox } from "./proxmox.ts";
import { registries } from "./registries.ts";
import { choice, list, section, text } from "./value.ts";
import { verify } from "./verify.ts";
import { vps } from "./vps.ts";
import { wireguard } from "./wireguard.ts";

export const PLANNED_PLATFORMS: Record<string, string> = {
  oci: "use proxmox, metal or vps: other platforms come in a later version",
};

/** Everything config.yaml can say. Only shapes and single values; what must fit together is in ../checks. */
export const configSchema = section("A Talos cluster and the machines it is made of.", {
  platform: choice({
    about:
      "Where the machines are: proxmox makes them; metal takes machines that wait in maintenance mode at their addresses; vps overwrites rented servers through their rescue systems.",
    of: ["proxmox", "metal", "vps"],
    planned: PLANNED_PLATFORMS,
  }),
  extends: text({
    about: "Another file, relative to this one, that this one is laid over: sections are merged key by key, lists are replaced.",
    example: "../base.yaml",
  }).optional(),
  cluster,
  network,
  image: image.optional(),
  /** Required by its platform, see ../shape.ts. */
  proxmox: proxmox.optional(),
  vps: vps.optional(),
  defaults: defaults.optional(),
  nodes: list(node, {
    about: "The nodes of the cluster.",
    example: "[{ name: cp, role: controlplane, ip: 10.10.0.11 }]",
    check: (nodes) =>
      nodes.length === 0 ? { says: "is empty", hint: "add a node: { name: cp, role: controlplane, ip: 10.10.0.11 }" } : undefined,
  }),
  patches: patches.optional(),
  registries: registries.optional(),
  firewall: firewall.optional(),
  wireguard: wireguard.optional(),
  addons: addons.optional(),
  maintenance: maintenance.optional(),
  backup: backup.optional(),
  verify: verify.optional(),
});

/** The file as it was written, checked value by value. */
export type Written = z.output<typeof configSchema>;
