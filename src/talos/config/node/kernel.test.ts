import { expect, test } from "vitest";
import { kernelPart } from "./kernel.ts";
import { testNode } from "./testing/test-node.ts";

const v112 = { contract: "v1.12", talos: "v1.12.11" };
const v114 = { contract: "v1.14", talos: "v1.14.1" };
const own = { sysctls: { "vm.nr_hugepages": "1024" }, kernelModules: [{ name: "nbd", parameters: ["nbds_max=4"] }] };

test("sysctls and modules go where the contract has them", () => {
  expect(kernelPart(testNode({ node: own }))).toEqual({
    machine: { sysctls: { "vm.nr_hugepages": "1024" }, kernel: { modules: [{ name: "nbd", parameters: ["nbds_max=4"] }] } },
  });
  expect(kernelPart(testNode({ node: own, cluster: v114 }))).toEqual({
    documents: [
      { apiVersion: "v1alpha1", kind: "SysctlConfig", params: { "vm.nr_hugepages": "1024" } },
      { apiVersion: "v1alpha1", kind: "KernelModuleConfig", name: "nbd", parameters: ["nbds_max=4"] },
    ],
  });
});

// docs/facts/talos.md#nvidia
test("a GPU loads NVIDIA's modules, and on Talos 1.12 relaxes the BPF compiler", () => {
  const modules = [{ name: "nvidia" }, { name: "nvidia_uvm" }, { name: "nvidia_drm" }, { name: "nvidia_modeset" }];
  expect(kernelPart(testNode({ node: { gpu: "nvidia" }, cluster: v112 }))).toEqual({
    machine: { sysctls: { "net.core.bpf_jit_harden": "1" }, kernel: { modules } },
  });
  expect(kernelPart(testNode({ node: { gpu: "nvidia-nonfree-lts" } }))).toEqual({ machine: { kernel: { modules } } });
});

test("the release decides about the GPU's sysctl, not the contract", () => {
  const cluster = { contract: "v1.12", talos: "v1.14.1" };
  expect(kernelPart(testNode({ node: { gpu: "nvidia" }, cluster })).machine).not.toHaveProperty("sysctls");
});

test("the user's settings for a GPU's modules and sysctls take precedence, without duplicates", () => {
  const node = {
    gpu: "nvidia",
    kernelModules: [{ name: "nvidia", parameters: ["NVreg_OpenRmEnableUnsupportedGpus=1"] }],
    sysctls: { "net.core.bpf_jit_harden": "2" },
  } as const;
  const { machine } = kernelPart(testNode({ node, cluster: v112 }));
  expect(machine).toMatchObject({ sysctls: { "net.core.bpf_jit_harden": "2" } });
  expect(JSON.stringify(machine).match(/"nvidia"/g)).toHaveLength(1);
});
