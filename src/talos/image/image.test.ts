import { expect, test } from "vitest";
import { assetPath, enrolsKeys, isImageFile, nocloudImage, schematicOf } from "./image.ts";

const AMD64 = { arch: "amd64", secureboot: false, method: "import" } as const;
const QEMU = "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";

test("extensions written in another order make no other image", () => {
  const [a, b] = ["siderolabs/util-linux-tools", "siderolabs/iscsi-tools"];
  // docs/facts/talos.md#schematics
  expect(schematicOf({ extensions: [a, b, a], kernelArgs: [] })).toBe(
    "613e1592b2da41ae5e265e8789429f22e121aab91cb4deb6bc3c0b6262961245",
  );
});

test("kernel arguments keep their order, since the kernel reads them in it", () => {
  const [one, other] = [
    ["noapic", "nolapic"],
    ["nolapic", "noapic"],
  ].map((kernelArgs) => schematicOf({ extensions: [], kernelArgs }));
  expect(one).toBe("9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c");
  expect(other).not.toBe(one);
});

test("a given schematic id is used unchanged and not registered", () => {
  const image = nocloudImage("v1.13.9", AMD64, { extensions: [], kernelArgs: [], schematic: QEMU });
  expect(image.schematic).toEqual({ id: QEMU, extensions: [], talos: "v1.13.9" });
});

test("an image is named by its release, architecture and schematic", () => {
  const image = nocloudImage("v1.13.9", AMD64, { extensions: ["siderolabs/qemu-guest-agent"], kernelArgs: [] });
  expect(image.name).toBe("talos-v1.13.9-amd64-ce4c9805");
  expect(image.path).toBe(`/image/${QEMU}/v1.13.9/nocloud-amd64.qcow2`);
  expect(image).toMatchObject({ file: "talos-v1.13.9-amd64-ce4c9805.qcow2", medium: "disk" });
});

test("machines that install themselves get the ISO of the same schematic", () => {
  const image = nocloudImage("v1.13.9", { ...AMD64, method: "iso" }, { extensions: [], kernelArgs: [] });
  expect(image).toMatchObject({ name: "talos-v1.13.9-amd64-37656798", file: "talos-v1.13.9-amd64-37656798.iso", medium: "iso" });
  expect(image.path).toMatch(/\/v1\.13\.9\/nocloud-amd64\.iso$/);
});

test("the secure boot image of the same schematic is another one", () => {
  const image = nocloudImage(
    "v1.13.9",
    { arch: "arm64", secureboot: true, method: "import" },
    { extensions: [], kernelArgs: [] },
  );
  expect(image.name).toBe("talos-v1.13.9-arm64-37656798-secureboot");
  expect(image.path).toMatch(/\/nocloud-arm64-secureboot\.qcow2$/);
});

// docs/facts/talos.md#images, and the factory's own API page.
test.each([
  ["nocloud", "amd64", false, "qcow2", "nocloud-amd64.qcow2"],
  ["nocloud", "amd64", false, "raw.xz", "nocloud-amd64.raw.xz"],
  ["metal", "amd64", false, "raw.zst", "metal-amd64.raw.zst"],
  ["metal", "arm64", false, "iso", "metal-arm64.iso"],
  ["metal", "amd64", true, "iso", "metal-amd64-secureboot.iso"],
  ["nocloud", "amd64", false, "iso", "nocloud-amd64.iso"],
  ["nocloud", "amd64", true, "iso", "nocloud-amd64-secureboot.iso"],
  ["nocloud", "amd64", true, "qcow2", "nocloud-amd64-secureboot.qcow2"],
  ["metal", "amd64", true, "raw.xz", "metal-amd64-secureboot.raw.xz"],
] as const)("%s %s, secure boot %s, as %s is the factory's %s", (platform, arch, secureboot, format, file) => {
  expect(assetPath(QEMU, { talos: "v1.14.1", platform, arch, secureboot, format })).toBe(`/image/${QEMU}/v1.14.1/${file}`);
});

test.each([
  ["talos-v1.13.9-amd64-37656798.qcow2", true],
  ["talos-v1.14.0-alpha.1-arm64-ce4c9805-secureboot.iso", true],
  ["talos-v1.13.9-amd64-37656798.raw", false],
  ["talos-v1.13.9-amd64.iso", false],
  ["my-talos-v1.13.9-amd64-37656798.iso", false],
  ["talos-v1.13.9-amd64-37656798-of-mine.iso", false],
])("%s: a talosmith image is %s", (file, ours) => {
  expect(isImageFile(file)).toBe(ours);
});

// The imager of release-1.13 writes keys into ISOs alone, that of release-1.14 into disk images as well.
test.each([
  ["v1.13.9", "disk", false],
  ["v1.13.9", "iso", true],
  ["v1.14.0", "disk", true],
] as const)("Secure Boot keys of Talos %s on a %s: %s", (talos, medium, enrolled) => {
  expect(enrolsKeys(talos, medium)).toBe(enrolled);
});
