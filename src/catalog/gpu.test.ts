import { expect, test } from "vitest";
import { gpuExtensions } from "./gpu.ts";

// Names and driver versions: docs/facts/talos.md#nvidia, and the extensions repository's branches release-1.12 to release-1.14.
test("NVIDIA's open modules come with the toolkit of the same branch", () => {
  expect(gpuExtensions("nvidia", "v1.13.9")).toEqual([
    "siderolabs/nvidia-container-toolkit-production",
    "siderolabs/nvidia-open-gpu-kernel-modules-production",
  ]);
});

test("the long-lived branch is asked for by name", () => {
  expect(gpuExtensions("nvidia-lts", "v1.14.1")).toEqual([
    "siderolabs/nvidia-container-toolkit-lts",
    "siderolabs/nvidia-open-gpu-kernel-modules-lts",
  ]);
});

test("older cards get NVIDIA's own modules", () => {
  expect(gpuExtensions("nvidia-nonfree", "v1.13.0")).toEqual([
    "siderolabs/nonfree-kmod-nvidia-production",
    "siderolabs/nvidia-container-toolkit-production",
  ]);
  expect(gpuExtensions("nvidia-nonfree-lts", "v1.13.0")).toEqual([
    "siderolabs/nonfree-kmod-nvidia-lts",
    "siderolabs/nvidia-container-toolkit-lts",
  ]);
});

test("with Talos 1.12 the newest driver is the one of the long-lived branch", () => {
  expect(gpuExtensions("nvidia", "v1.12.7")).toEqual(gpuExtensions("nvidia-lts", "v1.12.7"));
  expect(gpuExtensions("nvidia-nonfree", "v1.12.7")).toEqual(gpuExtensions("nvidia-nonfree-lts", "v1.12.7"));
});
