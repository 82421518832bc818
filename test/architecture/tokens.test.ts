import { build } from "esbuild";
import { expect, test } from "vitest";
import { npmModulesExternal } from "../support/npm-modules-external.ts";
import { importsOf } from "./imports.ts";
import { tokens } from "./tokens.ts";
import { filesBelow, root } from "./tree.ts";

const names = (source: string) =>
  tokens(source)
    .filter((token) => token.kind === "name")
    .map((token) => token.text);

test("comments, strings, templates and regular expressions are not code", () => {
  expect(names("a /* b */ // c\n 'd' + \"e\" + `f` + /g/i; h")).toEqual(["a", "h"]);
});

test("what a template computes is code, however deep", () => {
  expect(names("`a #{b + `c #{d({ e: 1 })} f`} g` + h".replaceAll("#", "$"))).toEqual(["b", "d", "e", "h"]);
});

test("a quote, a slash or a backtick inside a regular expression begins nothing", () => {
  expect(names("x.replace(/[\"'`/]/g, y); z")).toEqual(["x", "replace", "y", "z"]);
});

test("a division is not a regular expression", () => {
  expect(names("a / b / c; (d) / e; f[0] / g")).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
});

test("lines are counted through comments and templates", () => {
  expect(tokens("/*\n*/ `\n\n` a").at(-1)).toEqual({ kind: "name", text: "a", line: 4 });
});

test("every form of import is understood", () => {
  const source = `
import "./a.ts";
import b from "./b.ts";
import * as c from "./c.ts";
import d, { type D, e as f } from "./d.ts";
import type { G } from "./g.ts";
import { type H, type I } from "./h.ts";
export { j } from "./j.ts";
export * from "./k.ts";
export type { L } from "./l.ts";
export const m = await import("./m.ts");
export const notOne = { from: "./n.ts" };
const here = import.meta.url;`;
  expect(importsOf(source).map(({ specifier, kind, names: what }) => [specifier, kind, what.join()])).toEqual([
    ["./a.ts", "static", ""],
    ["./b.ts", "static", "default"],
    ["./c.ts", "static", "*"],
    ["./d.ts", "static", "default,D,e"],
    ["./g.ts", "type", "G"],
    ["./h.ts", "type", "H,I"],
    ["./j.ts", "static", "j"],
    ["./k.ts", "static", "*"],
    ["./l.ts", "type", "L"],
    ["./m.ts", "dynamic", "*"],
  ]);
});

const isOurs = (specifier = "") => specifier.startsWith(".") || specifier.startsWith("@talosmith/");

/** The oracle we did not write: the imports esbuild sees when it bundles the tree. It sees no types. */
test("no import of the real tree is missed or invented", async () => {
  const files = [...filesBelow("src", ".ts"), ...filesBelow("packages", ".ts")].filter(({ path }) => !path.endsWith(".d.ts"));
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: files.map((file) => file.path),
    outdir: "unused",
    write: false,
    bundle: true,
    plugins: [npmModulesExternal],
    platform: "node",
    format: "esm",
    // Each file once, instead of once for everyone who imports it.
    splitting: true,
    metafile: true,
  });
  for (const file of files) {
    const ours = importsOf(file.text).filter(({ kind, specifier }) => kind !== "type" && isOurs(specifier));
    const theirs = (metafile.inputs[file.path]?.imports ?? []).filter(({ original }) => isOurs(original));
    const list = (specifiers: (string | undefined)[]) => [...new Set(specifiers)].sort();
    expect([file.path, list(ours.map(({ specifier }) => specifier))]).toEqual([
      file.path,
      list(theirs.map((found) => found.original)),
    ]);
  }
});
