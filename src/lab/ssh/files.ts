import { posix } from "node:path";
import type { RootView } from "./state.ts";

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

export function readFile(view: RootView, path: string): string | undefined {
  const at = posix.normalize(path);
  return MADE[at]?.(view) ?? (Object.hasOwn(view.system.files, at) ? view.system.files[at] : undefined);
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

export function writeFile(view: RootView, path: string, text: string): void {
  if (path !== "/dev/null") view.system.files[posix.normalize(path)] = text;
}

export function removeFile(view: RootView, path: string): boolean {
  const at = posix.normalize(path);
  if (!Object.hasOwn(view.system.files, at)) return false;
  // The folder stays when its last file goes.
  makeFolder(view, posix.dirname(at));
  delete view.system.files[at];
  return true;
}

export function isFolder(view: RootView, path: string): boolean {
  const at = posix.normalize(path).replace(/(.)\/$/, "$1");
  if (at === "/" || view.system.folders.some((folder) => folder === at || folder.startsWith(`${at}/`))) return true;
  return namesIn(view, at).length > 0;
}

export function makeFolder(view: RootView, path: string): void {
  const at = posix.normalize(path);
  if (!isFolder(view, at)) view.system.folders.push(at);
}

/** Every path below a folder that somebody could name. */
export function namesIn(view: RootView, folder: string): string[] {
  const start = folder === "/" ? "/" : `${posix.normalize(folder).replace(/\/$/, "")}/`;
  if (start === "/sys/kernel/iommu_groups/") return groups(view);
  const paths = [...Object.keys(view.system.files), ...Object.keys(MADE), ...view.system.folders];
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
