import { posix } from "node:path";
import type { Host } from "../proxmox/state.ts";
import { FileProblem } from "../rescue/shell/streams.ts";
import type { RootView } from "./state.ts";
import { removeStored, roomAt, storeBytes, storedBytes, storedFolders, storedPaths } from "./stored-files.ts";

/** What is no file on a disk but made when somebody looks. */
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
  return at === "/" || foldersOf(view).includes(at) || namesIn(view, at).length > 0;
}

function foldersOf(view: RootView): string[] {
  return [...view.system.folders, ...storedFolders(view)];
}

export function makeFolder(view: RootView, path: string): void {
  const at = posix.normalize(path);
  if (!isFolder(view, at)) view.system.folders.push(at);
}

/** Every path below a folder that somebody could name. */
export function namesIn(view: RootView, folder: string): string[] {
  const start = folder === "/" ? "/" : `${posix.normalize(folder).replace(/\/$/, "")}/`;
  if (start === "/sys/kernel/iommu_groups/") return groups(view);
  const made = [...Object.keys(MADE), ...Object.keys(SHARED)];
  const paths = [...Object.keys(view.system.files), ...made, ...foldersOf(view), ...storedPaths(view)];
  const names = paths.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length).split("/")[0] ?? "");
  return [...new Set(names)].sort();
}

function groups({ host }: RootView): string[] {
  if (!host.iommu) return [];
  return [...new Set(host.pci.map((device) => device.group))].sort((one, other) => one - other).map(String);
}

/** "/etc/modprobe.d/*.conf"; the pattern itself when nothing fits, as shells have it. */
export function matching(view: RootView, pattern: string): string[] {
  if (!/[*?]/.test(pattern) || !pattern.startsWith("/")) return [pattern];
  const folder = posix.dirname(pattern);
  const shape = posix
    .basename(pattern)
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const found = namesIn(view, folder).filter((name) => !name.startsWith(".") && new RegExp(`^${shape}$`).test(name));
  return found.length > 0 ? found.map((name) => posix.join(folder, name)) : [pattern];
}
