import fc from "fast-check";
import { expect, test } from "vitest";
import * as der from "./der.ts";
import { readValues } from "./issuer.ts";

// The expected bytes are the examples in ITU-T X.690.
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test("an object identifier packs its first two arcs and splits the rest into groups of seven bits", () => {
  expect(hex(der.objectId("2.999.3"))).toBe("0603883703");
  expect(hex(der.objectId("1.2.840.113549"))).toBe("06062a864886f70d");
});

test("named bits drop trailing zeros", () => {
  expect(hex(der.namedBits([0, 5]))).toBe("03020284");
  expect(hex(der.namedBits([]))).toBe("030100");
  expect(hex(der.namedBits([8]))).toBe("0303070080");
});

test("an integer has the minimal length and is never negative", () => {
  expect(hex(der.unsignedInteger(Buffer.from([0, 0, 127])))).toBe("02017f");
  expect(hex(der.unsignedInteger(Buffer.from([128])))).toBe("02020080");
  expect(hex(der.unsignedInteger(Buffer.from([0])))).toBe("020100");
});

test("the members of a set are sorted", () => {
  expect(hex(der.setOf(Buffer.from([2]), Buffer.from([1])))).toBe("31020102");
});

test("times from 2050 on have another format", () => {
  expect(der.time(new Date("2049-12-31T23:59:59Z")).toString("latin1")).toBe("\x17\x0d491231235959Z");
  expect(der.time(new Date("2050-01-01T00:00:00Z")).toString("latin1")).toBe("\x18\x0f20500101000000Z");
});

test("a value of any length is read back unchanged", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(70_000), { minLength: 1, maxLength: 4 }), (sizes) => {
      const parts = sizes.map((size) => der.octetString(Buffer.alloc(size, size & 0xff)));
      const read = readValues(Buffer.concat(parts));
      expect(read.map((value) => [value.tag, value.content.length])).toEqual(sizes.map((size) => [0x04, size]));
      expect(read.every((value, index) => parts[index]?.equals(value.whole))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
