import { userError } from "@talosmith/lib/errors.ts";
import type { AnyStep, Step } from "../../engine/step.ts";
import { enrolsKeys, type TalosImage } from "../../talos/image/image.ts";
import type { ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import type { Source } from "./machine-work.ts";

import type { Site } from "./site.ts";
import { imageOnHost, type StoredImage } from "./steps/image-on-host.ts";
import { type SeenTemplate, templateOnHost } from "./steps/template-on-host.ts";

export interface Sources {
  /** The steps that bring images to hosts and create templates from them. */
  steps: AnyStep[];
  /** The source of a new node's disk; undefined when it needs none. */
  of(node: string): Source | undefined;
}

/**
 * The sources for the disks of these nodes: an image or ISO for each schematic and host, and with `image.method: template` also a template on each
 * storage. `homes`: the host of each node.
 */
export function sourcesOf(site: Site, nodes: readonly ProxmoxNodeConfig[], homes: ReadonlyMap<string, string>): Sources {
  const { method } = site.env.config.image;
  const images = new Map<string, Step<StoredImage, string>>();
  const templates = new Map<string, Step<SeenTemplate, number>>();
  const sources = new Map<string, Source>();
  for (const node of nodes) {
    const host = homes.get(node.name) as string;
    const image = site.imageOf(node);
    securelyBooted(site, image);
    const stored = made(images, `${host} ${image.name}`, () => imageOnHost(site, host, image));
    if (method !== "template") {
      sources.set(node.name, { method, ref: stored.out });
      continue;
    }
    const template = made(templates, `${host} ${node.storage} ${image.name}`, () =>
      templateOnHost(site, host, node.storage, image, stored.out),
    );
    sources.set(node.name, { method, ref: template.out });
  }
  return { steps: [...images.values(), ...templates.values()], of: (node) => sources.get(node) };
}

function made<T>(all: Map<string, T>, key: string, make: () => T): T {
  const one = all.get(key) ?? make();
  all.set(key, one);
  return one;
}

/** Refuses Secure Boot when the image does not install its keys: the machine would boot without it. */
function securelyBooted({ env }: Site, { medium }: TalosImage): void {
  const { image, cluster } = env.config;
  if (!image.secureboot || enrolsKeys(cluster.talos, medium)) return;
  const where = env.where(["image", "method"]) ?? env.where(["image", "secureboot"]);
  throw userError("SECUREBOOT_MEDIUM", {
    message: `Talos ${cluster.talos} installs its Secure Boot keys in a machine only from its ISO`,
    detail: `with image.method: ${image.method} machines would run with Secure Boot off; disk images bring the keys from Talos v1.14 on`,
    hint: "set image.method: iso, or use Talos v1.14 or newer",
    ...(where && { where }),
  });
}
