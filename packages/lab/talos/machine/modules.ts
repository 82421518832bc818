import type { Lab } from "../../kernel/kernel.ts";
import { machineConfig, value } from "../config/machine-config.ts";
import { at, list, word } from "../config/values.ts";
import { madeWith } from "../schematic.ts";
import type { Boot, Machine } from "../state.ts";

/** Modules loaded on every virtual machine, with their dependencies. */
const ALWAYS: readonly string[] = ["virtio_balloon", "virtio_pci", "virtio_net", "e1000"];

/** NVIDIA's proprietary and open kernel modules: the same names, from two families of extensions (docs/facts/talos.md#nvidia). */
const NVIDIA = /^siderolabs\/(?:nonfree-kmod-nvidia|nvidia-open-gpu-kernel-modules)(?:-(lts|production))?$/;
const NVIDIA_MODULES = ["nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"];
const NVIDIA_VENDOR = "10de";

export interface LoadedModule {
  name: string;
  needs: readonly string[];
}

/** Currently loaded modules: default ones, and those in the config for which the image has the extension. */
export function loadedModules(lab: Lab, machine: Machine, boot: Boot): LoadedModule[] {
  const asked = boot.config === undefined ? [] : wantedModules(boot.config);
  const nvidia = nvidiaDriver(lab, machine, boot) === undefined ? [] : NVIDIA_MODULES.filter((name) => asked.includes(name));
  return [
    ...ALWAYS.map((name) => ({ name, needs: [] })),
    ...nvidia.map((name) => ({ name, needs: name === "nvidia" ? [] : ["nvidia"] })),
  ];
}

/** Module names in machine.kernel.modules. */
export function wantedModules(text: string): string[] {
  const config = machineConfig(text);
  return config ? list(value(config, "machine.kernel.modules")).map((module) => word(at(module, "name"))) : [];
}

/** The driver branch, "lts" or "production", when the image has the driver and the machine has a card: without a card it is not loaded. */
export function nvidiaDriver(lab: Lab, machine: Machine, boot: Boot): string | undefined {
  const has = (machine.hardware.pci ?? []).some(({ vendor, class: kind }) => vendor === NVIDIA_VENDOR && kind.startsWith("03"));
  if (!has) return undefined;
  const names = madeWith(lab, boot.system.schematic).extensions.map((name) => NVIDIA.exec(name));
  const found = names.find((name) => name !== null);
  return found ? (found[1] ?? "production") : undefined;
}
