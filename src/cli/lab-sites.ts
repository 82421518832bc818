import type { LabHandle } from "@talosmith/lab/host/lab-file.ts";
import type { Service } from "@talosmith/lab/kernel/kernel.ts";
import { internalError, userError } from "@talosmith/lib/errors.ts";
import { PLATFORMS } from "../platforms/all.ts";
import type { PlatformDefinition } from "../platforms/definition.ts";
import type { LabMachine, PlatformLab } from "../platforms/lab.ts";

/** Flags of `lab start` for a site. */
export interface SiteWish {
  /** Separated by commas. */
  hosts?: string;
  /** The release: "8.4". */
  proxmox?: string;
  /** Hosts with a graphics card, separated by commas. */
  gpu?: string;
  /** The machines' network, when it is not the lab's own. */
  network?: string;
}

/** A kind of infrastructure that the lab simulates, named by PlatformLab.site of a platform's definition. */
interface Site {
  services(wish: SiteWish): Promise<Service[]>;
  /** Machines that exist from the start. */
  machines(): Promise<readonly LabMachine[]>;
  /** Whether a running lab simulates this site. */
  isIn(services: LabHandle["services"]): boolean;
}

const load = () => import("@talosmith/lab/host/services.ts");

const SITES: Readonly<Record<string, Site>> = {
  datacenter: {
    services: async (wish) => (await load()).datacenter(clusterOf(wish)),
    machines: async () => [],
    isIn: ({ proxmox }) => proxmox !== undefined,
  },
  rentedServers: {
    services: async ({ network }) => (await load()).rentedServers(prefixOf(network)),
    machines: async () => (await load()).RENTED,
    isIn: ({ rescue }) => rescue !== undefined,
  },
  machineRoom: {
    services: async ({ network }) => (await load()).machineRoom(prefixOf(network)),
    machines: async () => (await load()).METAL,
    isIn: ({ proxmox, rescue }) => proxmox === undefined && rescue === undefined,
  },
};

/** A platform that the lab can simulate. */
export type LabPlatform = PlatformDefinition & { readonly lab: PlatformLab };

export const LAB_PLATFORMS: readonly LabPlatform[] = PLATFORMS.filter((one): one is LabPlatform => one.lab !== undefined);

/** The default platform of the lab. */
export function usualPlatform(): LabPlatform {
  const [first] = LAB_PLATFORMS;
  if (first) return first;
  throw internalError("NO_LAB_PLATFORM", { message: "The lab simulates no platform of src/platforms/all.ts" });
}

export function siteOf({ name, lab }: LabPlatform): Site {
  const site = SITES[lab.site];
  if (site) return site;
  throw userError("NO_LAB_SITE", {
    message: `Unable to simulate ${name}: the lab has no ${lab.site}`,
    hint: `the lab simulates ${LAB_PLATFORMS.flatMap((one) => (SITES[one.lab.site] ? [one.name] : [])).join(", ")}`,
  });
}

function prefixOf(network: string | undefined): string | undefined {
  return network?.split(".").slice(0, 3).join(".");
}

function clusterOf({ hosts, proxmox, gpu }: SiteWish) {
  const cards = gpu?.split(",").map((host) => [host, ["nvidia rtx 4090"]] as const);
  return {
    ...(hosts !== undefined && { hosts: hosts.split(",") }),
    ...(proxmox !== undefined && { version: proxmox }),
    ...(cards && { gpus: Object.fromEntries(cards) }),
  };
}
