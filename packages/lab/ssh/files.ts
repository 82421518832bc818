import { posix } from "node:path";
import type { Host } from "../proxmox/state.ts";
import { CHARACTER_DEVICES } from "../shell/character-devices.ts";
import type { FileKind } from "../shell/process.ts";
import { FileProblem } from "../shell/streams.ts";
import type { RootView } from "./state.ts";
import { removeStored, roomAt, storeBytes, storedBytes, storedFolders, storedPaths } from "./stored-files.ts";

/** Files that are not on a disk: their content is made when they are read. */
const MADE: Readonly<Record<string, (view: RootView) => string>> = {
  "/proc/cmdline": ({ system }) => `${system.cmdline}\n`,
  "/proc/cpuinfo": ({ host }) => `processor\t: 0\nvendor_id\t: ${host.processor.vendor}\nmodel name\t: ${host.processor.model}\n`,
  "/proc/modules": ({ system }) => system.modules.map((name) => `${name} 32768 0 - Live 0x0000000000000000\n`).join(""),
  "/proc/sys/kernel/random/boot_id": (view) => `${bootId(view)}\n`,
  "/proc/sys/net/ipv4/ip_forward": ({ system }) => `${system.sysctl["net.ipv4.ip_forward"] ?? "0"}\n`,
  "/etc/pve/local/host-name": ({ name }) => `${name}\n`,
  "/etc/pve/priv/token.cfg": ({ proxmox }) =>
    Object.entries(proxmox.access.users)
      .flatMap(([user, { tokens }]) => Object.entries(tokens).map(([id, { secret }]) => `${user}!${id} ${secret}\n`))
      .sort()
      .join(""),
};

function bootId({ lab, name, host: { bootedAt } }: RootView): string {
  const digit = (index: number) => Math.floor(lab.chance("boot", name, bootedAt, index) * 16).toString(16);
  const digits = Array.from({ length: 32 }, (_, index) => digit(index)).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Files that the API of Proxmox reads and writes, too. */
const SHARED: Readonly<Record<string, { read(host: Host): string; write(host: Host, text: string): void }>> = {
  "/etc/hosts": {
    read: ({ hostsFile }) => hostsFile,
    write: (host, text) => {
      host.hostsFile = text;
    },
  },
  "/etc/resolv.conf": {
    read: ({ resolver: { search, servers } }) =>
      [...(search === undefined ? [] : [`search ${search}\n`]), ...servers.map((server) => `nameserver ${server}\n`)].join(""),
    write: (host, text) => {
      const [, search] = /^(?:search|domain)[ \t]+(\S+)/m.exec(text) ?? [];
      const servers = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, server = ""]) => server);
      host.resolver = { ...(search !== undefined && { search }), servers };
    },
  },
};

export function readBytes(view: RootView, path: string): Buffer | undefined {
  const at = posix.normalize(path);
  if (at === "/dev/null") return Buffer.alloc(0);
  const own = Object.hasOwn(view.system.files, at) ? view.system.files[at] : undefined;
  const text = MADE[at]?.(view) ?? SHARED[at]?.read(view.host) ?? own;
  return text === undefined ? storedBytes(view, at) : Buffer.from(text);
}

export function readFile(view: RootView, path: string): string | undefined {
  return readBytes(view, path)?.toString("utf8");
}

/** In the system's words; undefined when it can be. */
export function whyNotWritten(view: RootView, path: string): string | undefined {
  const at = posix.normalize(path);
  if (at === "/dev/null") return undefined;
  if (MADE[at] || at.startsWith("/proc/") || at.startsWith("/sys/")) return "Permission denied";
  if (isFolder(view, at)) return "Is a directory";
  if (!isFolder(view, posix.dirname(at))) return "No such file or directory";
  return undefined;
}

/** Throws a FileProblem when it does not fit. */
export function writeFile(view: RootView, path: string, content: string | Buffer): void {
  const at = posix.normalize(path);
  if (at === "/dev/null") return;
  const bytes = Buffer.from(content as string);
  if (bytes.length > (roomAt(view, at) ?? Number.POSITIVE_INFINITY)) throw new FileProblem("No space left on device");
  const shared = SHARED[at];
  if (shared) shared.write(view.host, bytes.toString("utf8"));
  else if (!storeBytes(view, at, bytes)) view.system.files[at] = bytes.toString("utf8");
}

export function removeFile(view: RootView, path: string): boolean {
  const at = posix.normalize(path);
  if (removeStored(view, at)) return true;
  if (!Object.hasOwn(view.system.files, at)) return false;
  // The folder stays when its last file goes.
  makeFolder(view, posix.dirname(at));
  delete view.system.files[at];
  return true;
}

export function isFolder(view: RootView, path: string): boolean {
  const at = posix.normalize(path).replace(/(.)\/$/, "$1");
  return at === "/" || KERNEL_FOLDERS.has(at) || foldersOf(view).includes(at) || namesIn(view, at).length > 0;
}

function foldersOf(view: RootView): string[] {
  return [...view.system.folders, ...storedFolders(view)];
}

export function makeFolder(view: RootView, path: string): void {
  const at = posix.normalize(path);
  if (!isFolder(view, at)) view.system.folders.push(at);
}

export function everyPath(view: RootView): string[] {
  const made = [...Object.keys(MADE), ...Object.keys(SHARED)];
  const groupPaths = groups(view).map((group) => `${IOMMU_GROUPS}/${group}`);
  return [...Object.keys(view.system.files), ...made, ...foldersOf(view), ...storedPaths(view), ...groupPaths];
}

/** Names in a folder, sorted. */
export function namesIn(view: RootView, folder: string): string[] {
  const at = posix.normalize(folder).replace(/\/$/, "");
  if (at === IOMMU_GROUPS) return groups(view);
  const start = `${at}/`;
  const below = everyPath(view).filter((path) => path.startsWith(start));
  return [...new Set(below.map((path) => path.slice(start.length).split("/")[0] ?? ""))].sort();
}

const IOMMU_GROUPS = "/sys/kernel/iommu_groups";
/** Folders of the kernel that nothing of the lab is in. */
const KERNEL_FOLDERS = new Set(["/sys/firmware/efi", IOMMU_GROUPS]);

export function kindAt(view: RootView, path: string): FileKind | undefined {
  if (CHARACTER_DEVICES.includes(path)) return { is: "character", isEmpty: true };
  const bytes = readBytes(view, path);
  if (bytes) return { is: "file", isEmpty: bytes.length === 0 };
  return isFolder(view, path) ? { is: "folder", isEmpty: false } : undefined;
}

function groups({ host }: RootView): string[] {
  if (!host.iommu) return [];
  return [...new Set(host.pci.map((device) => device.group))].sort((one, other) => one - other).map(String);
}
