import { minorOf, parseVersion } from "../../../catalog/version.ts";
import type { KernelModule, Texts } from "../../../config/config.ts";
import type { JsonObject } from "../document.ts";
import { isSplit, type NodeInput, type NodePart, newDocument } from "./node-input.ts";

/** Both kinds of NVIDIA's driver have these (docs/facts/talos.md#nvidia). */
const NVIDIA_MODULES = ["nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"];

/** The driver's JIT programs fail under the hardening that Talos 1.12 has by default; from 1.13 it is not needed (docs/facts/talos.md#nvidia). */
const NVIDIA_SYSCTLS: Texts = { "net.core.bpf_jit_harden": "1" };

/** Sysctls and modules, the GPU's included. The user's own settings for the GPU's modules and sysctls take precedence. */
export function kernelPart({ node, cluster }: NodeInput): NodePart {
  const modules = modulesOf(node);
  const sysctls = { ...(node.gpu !== undefined && isTalos112(cluster.talos) && NVIDIA_SYSCTLS), ...node.sysctls };
  const hasSysctls = Object.keys(sysctls).length > 0;
  if (isSplit(cluster.contract)) {
    return {
      documents: [
        ...(hasSysctls ? [newDocument("SysctlConfig", { params: sysctls })] : []),
        ...modules.map((module) => newDocument("KernelModuleConfig", moduleForm(module))),
      ],
    };
  }
  return {
    machine: {
      ...(hasSysctls && { sysctls }),
      ...(modules.length > 0 && { kernel: { modules: modules.map(moduleForm) } }),
    },
  };
}

function modulesOf({ gpu, kernelModules }: NodeInput["node"]): KernelModule[] {
  const own = new Set(kernelModules.map(({ name }) => name));
  const driver = gpu === undefined ? [] : NVIDIA_MODULES.filter((name) => !own.has(name));
  return [...driver.map((name) => ({ name, parameters: [] })), ...kernelModules];
}

function moduleForm({ name, parameters }: KernelModule): JsonObject {
  return { name, ...(parameters.length > 0 && { parameters }) };
}

function isTalos112(talos: string): boolean {
  const version = parseVersion(talos);
  return version !== undefined && minorOf(version) === "v1.12";
}
