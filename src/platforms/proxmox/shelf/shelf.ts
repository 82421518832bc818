import type { Read } from "../../../engine/step.ts";
import type { Shelf, Stored } from "../../platform.ts";
import { hosts } from "../client/nodes.ts";
import { everything } from "../scan.ts";
import type { Site } from "../site.ts";
import { fileRemoval } from "../steps/file-removal.ts";
import { templateRemoval } from "../steps/template-removal.ts";
import { storedFiles } from "./stored-files.ts";
import { storedTemplates } from "./stored-templates.ts";
import { wantedBy } from "./wanted.ts";

/** The images and templates on all reachable hosts of this Proxmox. */
export function proxmoxShelf(site: Site): Shelf {
  return {
    list: (c) => list(site, c),
    removal: (one) => {
      const { host, volume, vmid } = one.detail as { host: string; volume?: string; vmid?: number };
      return volume === undefined ? templateRemoval(site, one, host, vmid as number) : fileRemoval(site, one, host, volume);
    },
  };
}

async function list(site: Site, c: Read): Promise<Stored[]> {
  const [members, all] = await Promise.all([c.shared("hosts", () => hosts(site.client, c.signal)), everything(site.client, c)]);
  const online = members.filter((host) => host.online).map((host) => host.name);
  const vms = [...all.values()].filter((vm) => vm.kind === "vm" && online.includes(vm.host));
  const wanted = wantedBy(site);
  const stored = await Promise.all([storedFiles(site, c, online, vms, wanted), storedTemplates(site, c, vms, wanted)]);
  const key = ({ name, kind, where }: Stored) => `${name} ${kind} ${where}`;
  return stored.flat().sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
