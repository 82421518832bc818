import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Chance } from "../../../test/support/chance.ts";
import { runs } from "../../../test/support/runs.ts";
import { baseOf, changedBytes, changedText, changedValues } from "../../config/testing/mutants.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";
import { createSecretsBundle } from "../secrets/create.ts";
import { printSecrets } from "../secrets/print.ts";
import { readSecrets } from "../secrets/read.ts";
import { createKubeconfig, kubeconfigCertificate, kubeconfigProblem } from "./kubeconfig.ts";
import { createTalosconfig, talosconfigCertificate, talosconfigProblem, talosIdentity } from "./talosconfig.ts";

/* The folder's own files after manual edits: each is read, or reported as unusable. None is ever quoted. */

const COUNT = runs(40, 2_000);
const real = realWorld();
const now = Date.UTC(2026, 10, 15, 20, 14, 3);
// The RSA key of a bundle plays no part here, and takes seconds.
const world: World = { ...real, clock: { ...real.clock, now: () => now }, keys: { ...real.keys, rsa4096: real.keys.p256 } };
const redactor = new Redactor();
let bundle: SecretsBundle;
beforeAll(async () => {
  bundle = await createSecretsBundle(world, { contract: "v1.13", redactor });
});

/** Output of the parser that bypasses the views and quotes the file. */
const spoken: unknown[] = [];
beforeEach(() => {
  spoken.length = 0;
  vi.spyOn(process, "emitWarning").mockImplementation((warning) => void spoken.push(warning));
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(spoken, "the parser has spoken").toEqual([]);
});

function each(text: string, read: (changed: string) => void): void {
  const base = baseOf(text);
  for (let seed = 1; seed <= COUNT; seed++) {
    const chance = new Chance(seed);
    const how = chance.of([changedValues, changedText, changedBytes]);
    const changed = Buffer.from(how(chance, base)).toString("utf8");
    try {
      read(changed);
    } catch (error) {
      throw new Error(`changed file ${seed}: ${(error as Error).message}\n${changed.slice(0, 1500)}`, { cause: error });
    }
  }
}

test("a talosconfig", async () => {
  const endpoints = ["10.10.0.11"];
  each(await createTalosconfig(world, bundle, redactor, { name: "homelab", endpoints }), (text) => {
    talosconfigProblem(text, bundle, { endpoints }, now);
    talosconfigCertificate(text);
    talosIdentity(text, now);
  });
});

test.each(["__proto__", "constructor", "toString"])("a talosconfig whose context is called %s", (name) => {
  const text = `context: ${name}\ncontexts: { a: { ca: YQ==, crt: YQ==, key: YQ== } }\n`;
  expect(talosconfigProblem(text, bundle, { endpoints: [] }, now)).toBe("it cannot be read");
  expect(talosIdentity(text, now)).toBeUndefined();
});

test("a kubeconfig", async () => {
  const server = "https://10.10.0.5:6443";
  each(await createKubeconfig(world, bundle, redactor, { name: "homelab", server }), (text) => {
    kubeconfigProblem(text, bundle, { server }, now);
    kubeconfigCertificate(text);
  });
});

/** Read with more checks: a lost secrets.yaml means a lost cluster. */
function readAgain(text: string): void {
  try {
    readSecrets(text, { file: "secrets.yaml", redactor: new Redactor() });
  } catch (error) {
    if (!(error instanceof TalosmithError)) throw error;
    const { kind, code, hint, where, problems = [] } = error.report();
    expect([kind, code, hint === undefined]).toEqual(["user", "SECRETS_INVALID", false]);
    for (const place of problems.length > 0 ? problems.map((one) => one.where) : [where]) expect(place?.line).toBeGreaterThan(0);
  }
}

test("secrets.yaml", () => each(printSecrets(bundle), readAgain));

test.each([
  ["brackets", "[".repeat(100_000)],
  ["aliases", "*a ".repeat(300_000)],
  ["aliases of aliases", `a: &a [x]\n${Array.from({ length: 30 }, (_, at) => `b${at}: &a [*a, *a]\n`).join("")}`],
])("secrets.yaml of nothing but %s", (_, text) => readAgain(text));
