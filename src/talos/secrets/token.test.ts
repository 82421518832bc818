import { expect, test } from "vitest";
import { createToken } from "./token.ts";

test("bytes from 252 on are thrown away, the others taken modulo 36", () => {
  const bytes = [255, 0, 252, 9, 10, 35, 36, 251];
  let at = 0;
  const random = { bytes: (count: number) => Uint8Array.from({ length: count }, () => bytes[at++ % bytes.length] ?? 0) };
  expect(createToken(random)).toBe("09az0z.09az0z09az0z09az");
});
