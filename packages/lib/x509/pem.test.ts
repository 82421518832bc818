import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePem, encodePem } from "./pem.ts";

test("lines have 64 characters and the text ends with a newline", () => {
  expect(encodePem({ label: "X", der: Buffer.alloc(49) })).toBe(`-----BEGIN X-----\n${"A".repeat(64)}\nAA==\n-----END X-----\n`);
});

test("several blocks are found among other text", () => {
  const text = `before\n${encodePem({ label: "CERTIFICATE", der: Buffer.from("a") })}between\n${encodePem({ label: "EC PRIVATE KEY", der: Buffer.from("b") })}`;
  expect(decodePem(text).map((block) => [block.label, block.der.toString()])).toEqual([
    ["CERTIFICATE", "a"],
    ["EC PRIVATE KEY", "b"],
  ]);
});

test("an unterminated block is ignored", () => {
  expect(decodePem("-----BEGIN CERTIFICATE-----\nAAAA\n")).toEqual([]);
});

test("any content is encoded and decoded correctly", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const [block] = decodePem(encodePem({ label: "DATA", der: Buffer.from(bytes) }));
      expect(block).toEqual({ label: "DATA", der: Buffer.from(bytes) });
    }),
  );
});
