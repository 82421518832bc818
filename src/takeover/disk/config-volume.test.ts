import fc from "fast-check";
import { expect, test } from "vitest";
import { configVolume } from "./config-volume.ts";

const BLOCK = 2048;

/** Reads files as plain ISO 9660: from the descriptor to the root, and through its records. */
function filesIn(volume: Buffer): { label: string; files: Record<string, string> } {
  const descriptor = volume.subarray(16 * BLOCK, 17 * BLOCK);
  expect(descriptor.toString("latin1", 0, 7)).toBe("\x01CD001\x01");
  expect(descriptor.readUInt32LE(80) * BLOCK).toBe(volume.length);
  const root = volume.subarray(descriptor.readUInt32LE(158) * BLOCK);
  const files: Record<string, string> = {};
  for (let at = 0; root[at] !== 0; at += root[at] as number) {
    const [block, length] = [root.readUInt32LE(at + 2), root.readUInt32LE(at + 10)];
    expect([root.readUInt32BE(at + 6), root.readUInt32BE(at + 14)]).toEqual([block, length]);
    const name = root.toString("latin1", at + 33, at + 33 + (root[at + 32] as number));
    if (name.length > 1) files[name] = volume.toString("utf8", block * BLOCK, block * BLOCK + length);
  }
  return { label: descriptor.toString("latin1", 40, 72).trimEnd(), files };
}

test("the config is the one file of a volume with Talos's label, whatever is in it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 5000 }), (config) => {
      expect(filesIn(configVolume(config))).toEqual({ label: "metal-iso", files: { "CONFIG.YAML;1": config } });
    }),
    { numRuns: 50 },
  );
});

test("Linux shows it as config.yaml: the name in small letters stands in its record", () => {
  expect(configVolume("x").toString("latin1", 20 * BLOCK, 21 * BLOCK)).toContain("NM\x10\x01\0config.yaml");
});

test("equal configs make equal volumes", () => {
  expect(configVolume("a: 1\n").equals(configVolume("a: 1\n"))).toBe(true);
});
