import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compress } from "./compress.ts";

const text = Buffer.from("talos\n");

test("a gz file unpacks to its content", () => {
  expect(gunzipSync(compress(text, "gz"))).toEqual(text);
});

// zstd 1.5 and xz 5.4 unpacked both files to the same text.
test("a zst file is a frame of raw blocks", () => {
  expect(Buffer.from(compress(text, "zst")).toString("hex")).toBe("28b52ffda00600000031000074616c6f730a");
});

test("an xz file is a stream of one block of stored chunks", () => {
  expect(Buffer.from(compress(text, "xz")).toString("hex")).toBe(
    "fd377a585a0000016922de360200210110000000a8708e8601000574616c6f730a00000004b79f5300011a06c5eac8799042990d010000000001595a",
  );
});

test.each(["zst", "xz"] as const)("%s can hold more than one chunk of 64 KiB", (how) => {
  const long = Buffer.alloc(200_000, 7);
  const packed = Buffer.from(compress(long, how));
  expect(packed.length - long.length).toBeLessThan(100);
  expect(packed.includes(Buffer.alloc(65_536, 7))).toBe(true);
});
