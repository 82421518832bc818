import { minorOf, parseVersion } from "./version.ts";

/** A driver's two halves, which must be of one branch: the kernel modules and the container toolkit (docs/facts/talos.md#nvidia). */
const MODULES = {
  open: "siderolabs/nvidia-open-gpu-kernel-modules",
  nonfree: "siderolabs/nonfree-kmod-nvidia",
} as const;
const TOOLKIT = "siderolabs/nvidia-container-toolkit";

const DRIVERS = {
  nvidia: { modules: MODULES.open, branch: "newest" },
  "nvidia-lts": { modules: MODULES.open, branch: "lts" },
  "nvidia-nonfree": { modules: MODULES.nonfree, branch: "newest" },
  "nvidia-nonfree-lts": { modules: MODULES.nonfree, branch: "lts" },
} as const;

/** With Talos 1.12 the long-lived branch (580) is the newer one: production was still 570. From 1.13 on production is newer (595). docs/facts/talos.md#nvidia */
const NEWEST_IS_LTS: ReadonlySet<string> = new Set(["v1.12"]);

/** The system extensions a GPU needs in its node's image, sorted. `talos`: "v1.13.9". */
export function gpuExtensions(gpu: keyof typeof DRIVERS, talos: string): readonly string[] {
  const { modules, branch } = DRIVERS[gpu];
  const version = parseVersion(talos);
  const newest = version !== undefined && NEWEST_IS_LTS.has(minorOf(version)) ? "lts" : "production";
  const suffix = branch === "lts" ? "lts" : newest;
  return [`${modules}-${suffix}`, `${TOOLKIT}-${suffix}`].sort();
}
