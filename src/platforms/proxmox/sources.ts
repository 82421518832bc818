import type { ProxmoxNodeConfig } from "../../config/config.ts";
import type { AnyStep, Step } from "../../engine/step.ts";
import type { Volume } from "./client/storage.ts";
import type { Source } from "./machine-work.ts";
import type { FoundVm } from "./settled-vm.ts";
import type { Site } from "./site.ts";
import { imageOnHost } from "./steps/image-on-host.ts";
import { templateOnHost } from "./steps/template-on-host.ts";

export interface Sources {
  /** What brings images to the hosts and makes templates of them, each once. */
  steps: AnyStep[];
  /** What a new node's disk is made from; undefined when it needs none. */
  of(node: string): Source | undefined;
}

/**
 * What the disks of these nodes are made from: an image for every schematic on every host that makes a machine with it, and with `image.method: template`
 * a template of it on every storage besides. `homes`: the host of each node.
 */
export function sourcesOf(site: Site, nodes: readonly ProxmoxNodeConfig[], homes: ReadonlyMap<string, string>): Sources {
  const images = new Map<string, Step<Volume, string>>();
  const templates = new Map<string, Step<FoundVm, number>>();
  const sources = new Map<string, Source>();
  for (const node of nodes) {
    const host = homes.get(node.name) as string;
    const image = site.imageOf(node);
    const stored = made(images, `${host} ${image.name}`, () =>
      imageOnHost(site, host, image, site.env.where(["nodes", node.name, "extensions"])),
    );
    if (site.env.config.image.method === "import") {
      sources.set(node.name, { method: "import", ref: stored.out });
      continue;
    }
    const template = made(templates, `${host} ${node.storage} ${image.name}`, () =>
      templateOnHost(site, host, node.storage, image, stored.out),
    );
    sources.set(node.name, { method: "template", ref: template.out });
  }
  return { steps: [...images.values(), ...templates.values()], of: (node) => sources.get(node) };
}

function made<T>(all: Map<string, T>, key: string, make: () => T): T {
  const one = all.get(key) ?? make();
  all.set(key, one);
  return one;
}
