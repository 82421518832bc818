import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { command, quote } from "./quote.ts";

test("a plain word is not quoted", () => {
  expect(command("pveum", "acl", "modify", "/vms", "--users", "talosmith@pve")).toBe(
    "pveum acl modify /vms --users talosmith@pve",
  );
});

// "!" is a history expansion in an interactive bash, and every pveum command for a token contains it.
test("a token's name is quoted, because of its exclamation mark", () => {
  expect(quote("talosmith@pve!homelab")).toBe("'talosmith@pve!homelab'");
});

test("a real shell reads every word back as it was", () => {
  const word = fc
    .string({ unit: "binary", maxLength: 40 })
    .filter((one) => !one.includes("\0") && Buffer.from(one).toString() === one);
  const nasty = ["", " ", "'", "''", "$HOME", "`id`", "a\nb", "-n", "~", "*", "\\", '"', "!x", "a=b;c&d|e>f<g(h)"];
  const words = [...nasty, ...fc.sample(word, 300)];
  const printed = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${command(...words)}`], { encoding: "utf8" });
  expect(printed.split("\0").slice(0, -1)).toEqual(words);
});

test("a NUL cannot be passed at all", () => {
  expect(() => quote("a\0b")).toThrow("NUL");
});
