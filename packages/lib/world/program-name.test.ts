import { expect, test } from "vitest";
import { programNameOf, type Start } from "./program-name.ts";

const start: Start = { file: "/home/ann/talosmith", isExecutable: true, folder: "/home/ann", search: "/usr/local/bin:/usr/bin" };

test.each<[string, Partial<Start>, string]>([
  ["in the current folder", {}, "./talosmith"],
  ["in a folder above", { folder: "/home/ann/environments/homelab" }, "../../talosmith"],
  ["in a folder below", { folder: "/home" }, "./ann/talosmith"],
  ["far away", { folder: "/srv/deep/down/there" }, "/home/ann/talosmith"],
  ["with a blank in its path", { file: "/home/ann/my tools/talosmith" }, "'./my tools/talosmith'"],
  ["found through PATH", { file: "/usr/bin/talosmith" }, "talosmith"],
  ["found through a relative folder in PATH", { search: "/usr/bin:." }, "talosmith"],
  ["that only Node can start", { file: "/home/ann/dist/cli.js", isExecutable: false }, "node ./dist/cli.js"],
  ["that npx fetched", { file: "/home/ann/.npm/_npx/1/node_modules/.bin/talosmith", npx: "" }, "npx talosmith"],
  [
    "that npx took from a package",
    { file: "/home/ann/.npm/_npx/1/node_modules/.bin/talosmith", npx: "./talosmith-0.1.0.tgz" },
    "npx --package=./talosmith-0.1.0.tgz talosmith",
  ],
  [
    "installed in the project",
    { file: "/home/ann/node_modules/.bin/talosmith", folder: "/home/ann/environments" },
    "npx talosmith",
  ],
  [
    "installed in another project",
    { file: "/home/ann/node_modules/.bin/talosmith", folder: "/home/bob" },
    "../ann/node_modules/.bin/talosmith",
  ],
])("a program %s is started again as it was", (_, given, name) => {
  expect(programNameOf({ ...start, ...given })).toBe(name);
});
