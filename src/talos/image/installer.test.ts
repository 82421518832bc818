import { expect, test } from "vitest";
import type { Config, NodeConfig, NodeImageConfig } from "../../config/config.ts";
import { installerOf } from "./installer.ts";

const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
const AGENT = "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";

function installer(
  talosPlatform: Config["image"]["talosPlatform"],
  image: Partial<Config["image"]>,
  own: Partial<NodeImageConfig> = {},
): string {
  const config = {
    cluster: { talos: "v1.14.1" },
    image: { talosPlatform, factory: "https://factory.talos.dev", arch: "amd64", secureboot: false, ...image },
  } as unknown as Config;
  return installerOf(config, { image: { extensions: [], kernelArgs: [], ...own } } as unknown as NodeConfig);
}

// docs/facts/talos.md#installer-images, docs/facts/talos.md#schematics
test("each platform has an installer of its own, since it decides how a node finds its address", () => {
  expect(installer("nocloud", {})).toBe(`factory.talos.dev/nocloud-installer/${PLAIN}:v1.14.1`);
  expect(installer("metal", {})).toBe(`factory.talos.dev/metal-installer/${PLAIN}:v1.14.1`);
});

test("a node's schematic is in its installer's name", () => {
  expect(installer("metal", {}, { extensions: ["siderolabs/qemu-guest-agent"] })).toBe(
    `factory.talos.dev/metal-installer/${AGENT}:v1.14.1`,
  );
});

test("secure boot has installers of its own", () => {
  expect(installer("metal", { secureboot: true })).toBe(`factory.talos.dev/metal-installer-secureboot/${PLAIN}:v1.14.1`);
});

test("both architectures are in the same installer", () => {
  expect(installer("metal", { arch: "arm64" })).toBe(installer("metal", { arch: "amd64" }));
});

test("a factory of one's own keeps its port and its path", () => {
  expect(installer("metal", { factory: "https://registry.lan/talos" })).toBe(
    `registry.lan/talos/metal-installer/${PLAIN}:v1.14.1`,
  );
  expect(installer("metal", { factory: "https://factory.lan:8443" })).toBe(`factory.lan:8443/metal-installer/${PLAIN}:v1.14.1`);
});
