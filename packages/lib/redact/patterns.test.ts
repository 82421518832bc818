import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { hidePatterns } from "./patterns.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\n${base64("x".repeat(90))}\n-----END CERTIFICATE-----\n`;

test.each([
  // A value after "bearer" or after a name of a secret: letters with a digit.
  ["bearer abcdefghijklmnop1", "bearer (secret)"],
  ["bearer abcdefghijklmnopq", "bearer abcdefghijklmnopq"],
  ["bearer 12345678901234567", "bearer 12345678901234567"],
  ["token: abcdefghi1", "token: (secret)"],
  ["token: abcdefghij", "token: abcdefghij"],
  ["token: 1234567890", "token: 1234567890"],
  ["token: <a1b2c3d4e5>", "token: <a1b2c3d4e5>"],
  ["TOKEN=ABCDEFGHI1", "TOKEN=(secret)"],
  // A password in a URL or in JSON: anything but a placeholder.
  ["password=sesame", "password=(secret)"],
  ["password=%PASSWORD%", "password=%PASSWORD%"],
  ["https://me:sesame@example.com", "https://me:(secret)@example.com"],
  ["https://me:***@example.com", "https://me:***@example.com"],
  ["https://abcdefghijklmnopqrs1@example.com", "https://(secret)@example.com"],
  ["https://abcdefghijklmnopqrst@example.com", "https://abcdefghijklmnopqrst@example.com"],
  // Basic authentication: base64 of a user and a password.
  [`basic ${base64("me:sesame")}`, "basic (secret)"],
  [`basic ${base64("no colon here")}`, `basic ${base64("no colon here")}`],
  [`basic ${base64("\u0001me:sesame")}`, `basic ${base64("\u0001me:sesame")}`],
  // A bootstrap token: its second half has a digit, and the token has a letter.
  ["abcdef.1bcdefghijklmnop", "(secret)"],
  ["abcdef.abcdefghijklmno1", "(secret)"],
  ["4f2k9x.abcdefghijklmnop", "4f2k9x.abcdefghijklmnop"],
  ["123456.1234567890123456", "123456.1234567890123456"],
  ["a23456.1234567890123456", "(secret)"],
  ["token abcdef.1bcdefghijklmnop.", "token (secret)."],
])("%s is shown as %s", (text, shown) => {
  expect(hidePatterns(text)).toBe(shown);
});

test("a private key in base64 is hidden, alone or behind a certificate", () => {
  expect(hidePatterns(`data: ${base64(pem)}`)).toBe("data: (secret)");
  expect(hidePatterns(`data: ${base64(CERTIFICATE + pem)}`)).toBe("data: (secret)");
});

test("a certificate in base64 stays visible", () => {
  const text = `data: ${base64(CERTIFICATE)}`;
  expect(hidePatterns(text)).toBe(text);
});

test("every secret of a text is hidden, of one shape and of several", () => {
  expect(hidePatterns("token: abcdefghi1, token: abcdefghi2; https://me:sesame@example.com")).toBe(
    "token: (secret), token: (secret); https://me:(secret)@example.com",
  );
});
