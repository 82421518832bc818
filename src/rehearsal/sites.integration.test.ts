import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inTurn } from "../../test/lifecycle/sample.ts";
import { rehearsed } from "./testing/rehearsed.ts";
import { SITES } from "./testing/sites.ts";

// Examples as they are committed and configs of many sites, without their credentials. A part of them for each commit, all with `npm run full`.

const EXAMPLES = ["proxmox-example", "metal-example", "vps-example"];
const PARTS = 4;

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "talosmith-sites-"));
  folder = join(home, "site");
  mkdirSync(folder);
});
afterEach(() => rmSync(home, { recursive: true }));

test.each(inTurn([...EXAMPLES, ...Object.keys(SITES)], PARTS))("%s: its rehearsal passes", async (name) => {
  if (EXAMPLES.includes(name)) cpSync(join(import.meta.dirname, "../../environments", name), folder, { recursive: true });
  for (const [file, text] of Object.entries(SITES[name] ?? {})) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const { exitCode, errors, facts } = await rehearsed(folder, { HOME: home });
  expect([errors, exitCode]).toEqual([[], 0]);
  expect(facts.refusedConnections).toEqual([]);
});
