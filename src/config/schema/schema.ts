import * as z from "zod";
import type { PlatformKeys, Platforms } from "../platform.ts";
import { addons } from "./addons.ts";
import { cluster } from "./cluster.ts";
import { firewall } from "./firewall.ts";
import { image } from "./image.ts";
import { network } from "./network.ts";
import { defaults, node } from "./node.ts";
import { patches } from "./patches.ts";
import { registries } from "./registries.ts";
import { backup, maintenance, verify } from "./upkeep.ts";
import { choice, list, section, text } from "./value.ts";
import { wireguard } from "./wireguard.ts";

/** The schema of config.yaml: shapes and single values. Rules between values are in ../checks. */
export function configSchema({ available, planned }: Platforms) {
  const added = (part: "sections" | "settings" | "node" | "nics" | "image"): object =>
    Object.assign({}, ...available.map(({ keys }: { keys?: PlatformKeys }) => keys?.[part]));
  const ofNodes = { settings: added("settings"), node: added("node"), nics: added("nics") };
  const presets = available.flatMap(({ addons = {} }) => Object.entries(addons).map(([key, { schema }]) => [key, schema]));
  const names = available.map(({ name }) => name);
  return section("A Talos cluster and its machines.", {
    platform: choice({
      about: `Platform of the machines: ${available.map(({ name, about }) => `${name} ${about}`).join("; ")}.`,
      of: names,
      planned,
    }),
    extends: text({
      about:
        "Base file, relative to this one, that this file is merged over: sections are merged key by key, lists are replaced.",
      example: "../base.yaml",
    }).optional(),
    cluster,
    network,
    image: image(added("image")).optional(),
    ...optional(added("sections")),
    defaults: defaults(ofNodes).optional(),
    nodes: list(node(ofNodes, [...names, ...Object.keys(planned)]), {
      about: "The nodes of the cluster.",
      example: "[{ name: cp, role: controlplane, ip: 10.10.0.11 }]",
      check: (nodes) =>
        nodes.length === 0
          ? { says: "is empty", hint: "add a node: { name: cp, role: controlplane, ip: 10.10.0.11 }" }
          : undefined,
    }),
    patches: patches.optional(),
    registries: registries.optional(),
    firewall: firewall.optional(),
    wireguard: wireguard.optional(),
    addons: addons(Object.fromEntries(presets)).optional(),
    maintenance: maintenance.optional(),
    backup: backup.optional(),
    verify: verify.optional(),
  });
}

/** Makes sections optional, because the other platforms do not have them: see ../needs.ts. */
function optional(sections: object): object {
  return Object.fromEntries(Object.entries(sections as Record<string, z.ZodType>).map(([key, one]) => [key, z.optional(one)]));
}

/** A file as written, with valid values and without the keys that platforms add. */
export type Written = z.output<ReturnType<typeof configSchema>>;
