import { expect, test } from "vitest";
import { parseAssetPath } from "./asset.ts";

test.each([
  ["nocloud-amd64.qcow2", { kind: "disk", format: "qcow2", platform: "nocloud", arch: "amd64", secureBoot: false }],
  ["metal-arm64.iso", { kind: "iso", format: "iso", platform: "metal", arch: "arm64", secureBoot: false }],
  ["metal-amd64-secureboot.iso", { kind: "iso", format: "iso", platform: "metal", arch: "amd64", secureBoot: true }],
  [
    "metal-amd64.raw.zst",
    { kind: "disk", format: "raw", platform: "metal", arch: "amd64", secureBoot: false, compression: "zst" },
  ],
  [
    "digital-ocean-amd64.raw.gz",
    { kind: "disk", format: "raw", platform: "digital-ocean", arch: "amd64", secureBoot: false, compression: "gz" },
  ],
])("%s is parsed", (path, asset) => {
  expect(parseAssetPath(path)).toEqual({ is: "asset", asset });
});

test.each([
  "kernel-amd64",
  "initramfs-amd64.xz",
  "cmdline-metal-amd64",
  "metal-amd64-uki.efi",
  "installer-amd64.tar",
  "gcp-amd64.raw.tar.gz",
  "azure-amd64.vhd.gz",
])("%s exists in the real factory, but is not built by the lab", (path) => {
  expect(parseAssetPath(path)).toEqual({ is: "unbuilt" });
});

test.each([
  ["nocloud-amd64.img", 'invalid profile path: "nocloud-amd64.img"'],
  ["nocloud.qcow2", 'invalid platform-arch: "nocloud"'],
  ["nocloud-riscv64.qcow2", 'invalid architecture: "riscv64"'],
])("%s is not an image", (path, message) => {
  expect(parseAssetPath(path)).toEqual({ is: "invalid", message });
});
