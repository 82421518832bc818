import { expect, test } from "vitest";
import { schematicId, schematicYaml } from "./schematic.ts";

const siderolabs = (...names: string[]) => names.map((name) => `siderolabs/${name}`);

// The first seven ids are the image factory's own (docs/facts/talos.md#schematics); the overlay's is from its own tests.
test.each([
  ["nothing", {}, "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"],
  ["kernel arguments", { kernelArgs: ["noapic", "nolapic"] }, "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c"],
  ["a META value", { meta: [{ key: 10, value: "foo" }] }, "d308a2a5ee2277bed5fbaa104fcbc8d59122abfa737df987a95b4ca763459a7f"],
  [
    "well-known certificates",
    { wellKnownCertificates: true },
    "fa8e05f142a851d3ee568eb0a8e5841eaf6b0ebc8df9a63df16ac5ed2c04f3e6",
  ],
  [
    "one extension",
    { extensions: siderolabs("qemu-guest-agent") },
    "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515",
  ],
  [
    "two extensions",
    { extensions: siderolabs("iscsi-tools", "util-linux-tools") },
    "613e1592b2da41ae5e265e8789429f22e121aab91cb4deb6bc3c0b6262961245",
  ],
  [
    "three extensions in their own order",
    { extensions: siderolabs("iscsi-tools", "util-linux-tools", "qemu-guest-agent") },
    "e187c9b90f773cd8c84e5a3265c5554ee787b2fe67b508d9f955e90e7ae8c96c",
  ],
  [
    "an overlay",
    { overlay: { name: "rpi_generic", image: "siderolabs/sbc-raspberrypi" } },
    "ee21ef4a5ef808a9b7484cc0dda0f25075021691c8c09a276591eedb638ea1f9",
  ],
])("a schematic with %s has the factory's own id", (_, schematic, id) => {
  expect(schematicId(schematic)).toBe(id);
});

// How Go's YAML (yaml.v3 3.0.1 and go.yaml.in/yaml/v4 rc.6, which the factory uses) prints such a list.
test.each([
  ["console=ttyS0,115200", "console=ttyS0,115200"],
  ["-talos.platform", "-talos.platform"],
  ["talos.config=https://x/y?h=$a&m={b}", "talos.config=https://x/y?h=$a&m={b}"],
  ["ip=[2001:db8::1]::[fe80::1]:64::eth0:off", "ip=[2001:db8::1]::[fe80::1]:64::eth0:off"],
  ["8250.nr_uarts=4", "8250.nr_uarts=4"],
  ["a#b", "a#b"],
  [":a", ":a"],
  ["a: b", "'a: b'"],
  ["a:", "'a:'"],
  ["a #b", "'a #b'"],
  ["- a", "'- a'"],
  ["---x", "'---x'"],
  ["%x", "'%x'"],
  ["{}", "'{}'"],
  ['"a"', `'"a"'`],
  ["'a'", "'''a'''"],
  ["a ", "'a '"],
])("the argument %j is written %s, as Go's YAML does", (argument, written) => {
  expect(schematicYaml({ kernelArgs: [argument] })).toBe(`customization:\n    extraKernelArgs:\n        - ${written}\n`);
});

// yaml.v3 and v4 write "yes", "1:30" and "<<" differently; no kernel argument looks like the others.
test.each([
  "",
  "yes",
  "Off",
  "1:30",
  "<<",
  "true",
  "null",
  "~",
  "1.0",
  "0x1f",
  "2001-01-01",
  ".inf",
  "-_41",
  "a\nb",
  "a\tb",
  "é",
])("%j is refused: its id would be a guess", (argument) => {
  expect(() => schematicYaml({ kernelArgs: [argument] })).toThrow(expect.objectContaining({ code: "SCHEMATIC_TEXT" }));
});
