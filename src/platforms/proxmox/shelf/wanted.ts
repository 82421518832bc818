import type { Site } from "../site.ts";
import { spread } from "../spread.ts";

/** The images and templates that this config needs, by host. */
export interface Wanted {
  file(host: string, volume: string, shared: boolean): boolean;
  template(host: string, storage: string, name: string): boolean;
}

export function wantedBy(site: Site): Wanted {
  const { nodes, proxmox, image } = site.env.config;
  const homes = spread(nodes, proxmox.hosts);
  const files: { host: string; volume: string }[] = [];
  const templates = new Set<string>();
  for (const node of nodes) {
    const host = homes.get(node.name) as string;
    const { file, medium, name } = site.imageOf(node);
    files.push({ host, volume: `${proxmox.storage.images}:${medium === "iso" ? "iso" : "import"}/${file}` });
    if (image.method === "template") templates.add(`${host} ${node.storage} ${name}`);
  }
  return {
    file: (host, volume, shared) => files.some((one) => one.volume === volume && (shared || one.host === host)),
    template: (host, storage, name) => templates.has(`${host} ${storage} ${name}`),
  };
}
