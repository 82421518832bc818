import { expect, test } from "vitest";
import { installPart } from "./install.ts";
import { testNode } from "./testing/test-node.ts";

const { installerImage } = testNode();
const OTHER = "factory.talos.dev/metal-installer/0000:v1.14.1";
const v114 = { contract: "v1.14", talos: "v1.14.1" };

test("a node without an install disk is installed to /dev/sda, also when the base names another", () => {
  expect(installPart(testNode({ base: { installDisk: "/dev/vda", installerImage } }))).toEqual({
    machine: { install: { disk: "/dev/sda" } },
  });
});

test("nothing is said where disk and installer are the base's", () => {
  expect(installPart(testNode())).toEqual({});
  const installDisk = { serial: "S1" };
  expect(installPart(testNode({ node: { installDisk }, base: { installDisk: { serial: "S1" }, installerImage } }))).toEqual({});
});

test("another disk and another installer than the base's are said", () => {
  expect(installPart(testNode({ node: { installDisk: "/dev/nvme0n1" }, installerImage: OTHER }))).toEqual({
    machine: { install: { disk: "/dev/nvme0n1", image: OTHER } },
  });
});

test("a selector takes the place of the base's path, and a path that of the base's selector", () => {
  expect(installPart(testNode({ node: { installDisk: { type: "nvme" } } }))).toEqual({
    machine: { install: { disk: { $patch: "delete" }, diskSelector: { type: "nvme" } } },
  });
  const base = { installDisk: { type: "nvme" }, installerImage } as const;
  expect(installPart(testNode({ base }))).toEqual({
    machine: { install: { disk: "/dev/sda", diskSelector: { $patch: "delete" } } },
  });
});

test("a selector does not keep what the base's selector asks for besides", () => {
  const base = { installDisk: { type: "nvme", size: ">= 1TB" }, installerImage } as const;
  expect(installPart(testNode({ node: { installDisk: { size: "== 2TB" } }, base }))).toEqual({
    machine: { install: { diskSelector: { size: "== 2TB", type: { $patch: "delete" } } } },
  });
});

test("with contract v1.14 the patch contains the disk even when only the installer differs, because its absence would remove it", () => {
  expect(installPart(testNode({ cluster: v114, installerImage: OTHER })).documents).toEqual([
    {
      apiVersion: "v1alpha1",
      kind: "UnattendedInstallConfig",
      installer: { image: OTHER },
      provisioning: { diskSelector: { match: 'disk.dev_path == "/dev/sda"' } },
    },
  ]);
});
