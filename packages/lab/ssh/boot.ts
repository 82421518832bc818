import { releaseOf } from "../proxmox/release.ts";
import { namesIn, readFile } from "./files.ts";
import type { RootView } from "./state.ts";

/** Whether the IOMMU will be on: Linux 6.8 and later switch it on by themselves, on Intel too, unless told not to. */
export function iommuWith({ host, proxmox }: RootView, cmdline: string): boolean {
  const own = host.processor.vendor === "GenuineIntel" ? "intel_iommu" : "amd_iommu";
  const words = cmdline.split(/\s+/);
  if (words.includes("iommu=off")) return false;
  // Of several the last counts.
  const said = words.findLast((word) => word.startsWith(`${own}=`));
  if (said !== undefined) return said !== `${own}=off`;
  const [major = 0, minor = 0] = releaseOf(proxmox).kernel.split(".").map(Number);
  return own === "amd_iommu" || major > 6 || (major === 6 && minor >= 8);
}

/** The kernel's modules after a boot: what is always there, what the lists name, and what vfio-pci was told to take. */
export function bootedModules(view: RootView): string[] {
  const lists = ["/etc/modules", ...namesIn(view, "/etc/modules-load.d").map((name) => `/etc/modules-load.d/${name}`)];
  const listed = lists
    .flatMap((path) => linesOf(readFile(view, path)))
    .map((line) => line.split(/\s+/)[0]?.replaceAll("-", "_") ?? "");
  const options = namesIn(view, "/etc/modprobe.d").flatMap((name) => linesOf(readFile(view, `/etc/modprobe.d/${name}`)));
  const taken = options.flatMap((line) => /^options\s+vfio-pci\s+.*\bids=(\S+)/.exec(line)?.[1]?.split(",") ?? []);
  const vfio = listed.includes("vfio_pci") ? taken.map((one) => `vfio-pci:${one}`) : [];
  const always = ["kvm", view.host.processor.vendor === "GenuineIntel" ? "kvm_intel" : "kvm_amd", "bridge", "zfs"];
  return [...new Set([...always, ...listed, ...vfio])];
}

function linesOf(text: string | undefined): string[] {
  return (text ?? "")
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}

/** What is another after a boot, however the host came to it. */
export function afterBoot(view: RootView): void {
  const { system, host } = view;
  if (system.bootedAt === host.bootedAt) return;
  system.bootedAt = host.bootedAt;
  system.cmdline = system.nextCmdline;
  system.modules = system.nextModules.length > 0 ? system.nextModules : bootedModules(view);
  for (const service of Object.values(system.services)) service.active = service.enabled;
}
