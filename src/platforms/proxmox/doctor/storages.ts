import type { ConfigPath } from "../../../config/config.ts";
import { type Check, check, type Finding } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { StorageSummary } from "../client/storage.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import type { Site } from "../site.ts";
import { about, fail, ok } from "./finding.ts";
import { hostsOf, setsDisks } from "./kinds.ts";
import { storagesOf } from "./look.ts";
import { spaceFindings } from "./space.ts";
import { PREFLIGHT } from "./version.ts";

interface Wish {
  storage: string;
  content: "import" | "iso" | "images";
  /** The setting that names it, in words and as a path. */
  key: string;
  setting: ConfigPath;
}

/** Checks that every host has the storages its machines need: active, with the right content types and enough space. */
export function storagesAreReady(site: Site, found: Inventory): Check {
  return check({
    id: "preflight/storages",
    stage: "preflight",
    title: "storages",
    needs: [{ step: PREFLIGHT }],
    before: setsDisks,
    run: async (c, changes) => {
      const hosts = await hostsOf(site, found, c, changes);
      const lists = new Map(await Promise.all(hosts.map(async ([host]) => [host, await storagesOf(site, c, host)] as const)));
      const wrong = hosts.flatMap(([host, nodes]) =>
        wishes(site, nodes).flatMap((wish) => about(site.env.where(wish.setting), findingFor(host, lists.get(host) ?? [], wish))),
      );
      const tight = spaceFindings(site, found, lists);
      if (wrong.length + tight.length > 0) return [...wrong, ...tight];
      return [ok("STORAGES", `${storageNames(site).join(", ")}: active, of the right kind and with room`)];
    },
  });
}

function storageNames({ env }: Site): string[] {
  const { proxmox, nodes } = env.config;
  return [
    ...new Set([proxmox.storage.images, ...nodes.flatMap((node) => [node.storage, ...node.disks.map((disk) => disk.storage)])]),
  ];
}

function wishes({ env }: Site, nodes: readonly ProxmoxNodeConfig[]): Wish[] {
  const { proxmox, image } = env.config;
  const disks = nodes.flatMap((node): Wish[] => [
    { storage: node.storage, content: "images", key: "storage.disks", setting: ["nodes", node.name, "storage"] },
    ...node.disks.map(({ storage }): Wish => {
      return { storage, content: "images", key: `disks of ${node.name}`, setting: ["nodes", node.name, "disks"] };
    }),
  ]);
  const all: Wish[] = [
    {
      storage: proxmox.storage.images,
      content: image.method === "iso" ? "iso" : "import",
      key: "storage.images",
      setting: ["proxmox", "storage", "images"],
    },
    ...disks,
  ];
  return [...new Map(all.map((wish) => [`${wish.storage} ${wish.content}`, wish])).values()];
}

function findingFor(host: string, stores: readonly StorageSummary[], { storage, content, key }: Wish): Finding[] {
  const store = stores.find((one) => one.name === storage);
  if (!store)
    return [
      fail(
        "NO_STORAGE",
        `${host} has no storage ${storage}, or this login may not use it`,
        `storages on ${host}: ${stores.map((one) => one.name).join(", ") || "none"}; check ${key}, and Datastore.Audit on /storage/${storage}`,
      ),
    ];
  if (!store.active)
    return [
      fail(
        "STORAGE_INACTIVE",
        `the storage ${storage} on ${host} is not active`,
        "check in the Proxmox UI that its device is present and mounted",
      ),
    ];
  if (store.content.includes(content)) return [];
  return [
    fail(
      "STORAGE_CONTENT",
      `the storage ${storage} on ${host} does not take "${content}" content`,
      `as root on ${host}:  pvesm set ${storage} --content ${[...store.content, content].join(",")}`,
    ),
  ];
}
