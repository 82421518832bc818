import type { Lab } from "../../kernel/kernel.ts";
import { machineConfig, value } from "../config/machine-config.ts";
import { at, list, word } from "../config/values.ts";
import { madeWith } from "../schematic.ts";
import type { Boot, Machine } from "../state.ts";

/** Loaded on every virtual machine, with what they need. */
const ALWAYS: readonly string[] = ["virtio_balloon", "virtio_pci", "virtio_net", "e1000"];

/** NVIDIA's own and open kernel modules: the same names, from either of two families of extensions (docs/facts/talos.md#nvidia). */
const NVIDIA = /^siderolabs\/(?:nonfree-kmod-nvidia|nvidia-open-gpu-kernel-modules)(?:-(lts|production))?$/;
const NVIDIA_MODULES = ["nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"];
const NVIDIA_VENDOR = "10de";

export interface LoadedModule {
  name: string;
  needs: readonly string[];
}

/** What runs in the kernel now: what comes by itself, and what the config asks for and the image has. */
export function loadedModules(lab: Lab, machine: Machine, boot: Boot): LoadedModule[] {
  const asked = boot.config === undefined ? [] : wantedModules(boot.config);
  const nvidia = nvidiaDriver(lab, machine, boot) === undefined ? [] : NVIDIA_MODULES.filter((name) => asked.includes(name));
  return [
    ...ALWAYS.map((name) => ({ name, needs: [] })),
    ...nvidia.map((name) => ({ name, needs: name === "nvidia" ? [] : ["nvidia"] })),
  ];
}

/** machine.kernel.modules */
export function wantedModules(text: string): string[] {
  const config = machineConfig(text);
  return config ? list(value(config, "machine.kernel.modules")).map((module) => word(at(module, "name"))) : [];
}

/** "lts" or "production" when the image has the driver and the machine a card for it: without a card it does not load. */
export function nvidiaDriver(lab: Lab, machine: Machine, boot: Boot): string | undefined {
  const has = (machine.hardware.pci ?? []).some(({ vendor, class: kind }) => vendor === NVIDIA_VENDOR && kind.startsWith("03"));
  if (!has) return undefined;
  const names = madeWith(lab, boot.system.schematic).extensions.map((name) => NVIDIA.exec(name));
  const found = names.find((name) => name !== null);
  return found ? (found[1] ?? "production") : undefined;
}
