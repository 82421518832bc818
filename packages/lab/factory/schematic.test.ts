import { expect, test } from "vitest";
import { canonicalYaml, parseSchematic, schematicId } from "./schematic.ts";

const id = (text: string) => schematicId(canonicalYaml(parseSchematic(text)));
const extensions = (...names: string[]) =>
  JSON.stringify({ customization: { systemExtensions: { officialExtensions: names.map((name) => `siderolabs/${name}`) } } });

// Ids of the public factory: docs/facts/talos.md#schematics.
test.each([
  ["customization: {}", "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"],
  ["customization:\n  extraKernelArgs: [noapic, nolapic]", "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c"],
  ["customization:\n  meta:\n  - {value: foo, key: 0xa}", "d308a2a5ee2277bed5fbaa104fcbc8d59122abfa737df987a95b4ca763459a7f"],
  [
    "customization:\n  secureboot:\n    includeWellKnownCertificates: true",
    "fa8e05f142a851d3ee568eb0a8e5841eaf6b0ebc8df9a63df16ac5ed2c04f3e6",
  ],
  [extensions("qemu-guest-agent"), "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515"],
  [extensions("iscsi-tools", "util-linux-tools"), "613e1592b2da41ae5e265e8789429f22e121aab91cb4deb6bc3c0b6262961245"],
  [
    extensions("iscsi-tools", "util-linux-tools", "qemu-guest-agent"),
    "e187c9b90f773cd8c84e5a3265c5554ee787b2fe67b508d9f955e90e7ae8c96c",
  ],
])("%s has the id of the real factory", (text, expected) => {
  expect(id(text)).toBe(expected);
});

test.each([
  "{}",
  "customization:",
  "customization: {extraKernelArgs: [], secureboot: {includeWellKnownCertificates: false}, systemExtensions: {}}",
  "overlay: {image: '', name: ''}\ncustomization: {bootloader: auto, diskImage: {sectorSize: 0}}",
])("empty values count as absent: %s", (text) => {
  expect(canonicalYaml(parseSchematic(text))).toBe("customization: {}\n");
});

test("fields are in the factory's order, whatever order they were sent in", () => {
  const text = `
customization:
  diskImage: {sectorSize: 4096}
  secureboot: {enrollKeys: force}
  bootloader: sd-boot
  systemExtensions: {officialExtensions: [siderolabs/zfs, siderolabs/drbd]}
  extraKernelArgs: [-console, console=ttyS0]
overlay: {options: {b: 1, a: x}, name: rpi_generic, image: siderolabs/sbc-raspberrypi}
`;
  expect(canonicalYaml(parseSchematic(text))).toBe(`overlay:
    image: siderolabs/sbc-raspberrypi
    name: rpi_generic
    options:
        a: x
        b: 1
customization:
    extraKernelArgs:
        - -console
        - console=ttyS0
    systemExtensions:
        officialExtensions:
            - siderolabs/zfs
            - siderolabs/drbd
    bootloader: sd-boot
    secureboot:
        enrollKeys: force
    diskImage:
        sectorSize: 4096
`);
});

test.each([
  ["1", '"1"'],
  ["yes", "'yes'"],
  ["1:30", "'1:30'"],
  ["<<", "'<<'"],
  ["true", '"true"'],
  ["", '""'],
  ["{}", "'{}'"],
  ["a: b", "'a: b'"],
  ["# x", "'# x'"],
  ["a=b,c", "a=b,c"],
])("the value %j is written %s, as Go's YAML does (v4, which the factory uses)", (value, written) => {
  const text = JSON.stringify({ customization: { meta: [{ key: 1, value }] } });
  expect(canonicalYaml(parseSchematic(text))).toBe(`customization:\n    meta:\n        - key: 1\n          value: ${written}\n`);
});

test("a text of several lines is written as a block", () => {
  const embedded = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: x\n";
  const text = JSON.stringify({ customization: { embeddedMachineConfiguration: embedded } });
  expect(canonicalYaml(parseSchematic(text))).toBe(`customization:
    embeddedMachineConfiguration: |
        apiVersion: v1alpha1
        kind: HostnameConfig
        hostname: x
`);
});

test.each([
  ["customization: {extensions: []}", "extensions"],
  ["customisation: {}", "customisation"],
  ["customization: {meta: [{key: 256, value: x}]}", "customization.meta.0.key"],
  ["customization: {bootloader: lilo}", "customization.bootloader"],
  ["owner: me", "Enterprise"],
  ["customization: {", "yaml:"],
  ["customization: {}\ncustomization: {}", "yaml:"],
  ["", "EOF"],
  ["just text", "schematic"],
])("%s is refused with 400", (text, reason) => {
  expect(() => parseSchematic(text)).toThrow(expect.objectContaining({ status: 400, message: expect.stringContaining(reason) }));
});
