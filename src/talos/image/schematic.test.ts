import { expect, test } from "vitest";
import { schematicId } from "./schematic.ts";

// The ids are the image factory's own (talos.md 6.1).
test("an empty schematic has the factory's well-known id", () => {
  expect(schematicId({ extensions: [], kernelArgs: [] })).toBe(
    "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba",
  );
});

test("kernel arguments keep their order", () => {
  expect(schematicId({ extensions: [], kernelArgs: ["noapic", "nolapic"] })).toBe(
    "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c",
  );
});

test("one extension", () => {
  expect(schematicId({ extensions: ["siderolabs/qemu-guest-agent"], kernelArgs: [] })).toBe(
    "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515",
  );
});

test("extensions are sorted, so that writing them in another order is no other image", () => {
  expect(schematicId({ extensions: ["siderolabs/util-linux-tools", "siderolabs/iscsi-tools"], kernelArgs: [] })).toBe(
    "613e1592b2da41ae5e265e8789429f22e121aab91cb4deb6bc3c0b6262961245",
  );
});
