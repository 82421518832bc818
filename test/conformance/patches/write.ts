import { createWriteStream, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Role, UserPatch } from "../../../src/config/config.ts";
import { baseConfig } from "../../../src/talos/config/base-config.ts";
import type { ConfigDocument } from "../../../src/talos/config/document.ts";
import { MINORS, type Minor } from "../../../src/talos/config/fields/kinds.ts";
import { parseConfig } from "../../../src/talos/config/parse.ts";
import { patchProblems } from "../../../src/talos/config/patch-problems.ts";
import { applyPatches } from "../../../src/talos/config/patches.ts";
import { printConfig } from "../../../src/talos/config/print.ts";
import { configProblems } from "../../../src/talos/config/validate.ts";
import type { SecretsBundle } from "../../../src/talos/secrets/bundle.ts";
import { createSecretsBundle } from "../../../src/talos/secrets/create.ts";
import { clusterCases, plainCluster } from "../machine-config/cluster-cases.ts";
import { nodeCases } from "../machine-config/node-cases.ts";
import { REFUSED } from "./refused-patches.ts";
import { wrongValues } from "./wrong-values.ts";

const ROLES: readonly Role[] = ["controlplane", "worker"];
const MODES = ["metal", "cloud"] as const;
/** The machinery that judges; only 1.12 makes a difference between patch releases. */
const RELEASE: Readonly<Record<Minor, string>> = { "1.12": "v1.12.7", "1.13": "v1.13.9", "1.14": "v1.14.1" };

/** A line for the oracle, and what we say about the same. */
interface Question {
  readonly name: string;
  readonly text: string;
  readonly patch?: string;
  readonly validate?: boolean;
  readonly metal?: boolean;
  /** Our problems; the oracle does not look at them. */
  readonly ours: readonly string[];
  /** Talos and we must agree in both directions. */
  readonly exact?: boolean;
  /** A config of Talos's own tests. */
  readonly theirs?: boolean;
}

async function writeQuestions(folder: string, secrets: SecretsBundle, minor: Minor): Promise<void> {
  const file = createWriteStream(join(folder, `${minor}.jsonl`));
  for (const question of questions(secrets, minor)) file.write(`${JSON.stringify(question)}\n`);
  file.end();
  await finished(file);
}

function* questions(secrets: SecretsBundle, minor: Minor): Generator<Question> {
  yield* theirConfigs(minor);
  // A part of them, always the same: one value of a shape is wrong for the same reason as the next. There are 36 shapes, so that neither number
  // leaves out the same ones in every place.
  const share = process.env.FULL !== undefined ? 1 : minor === MINORS.at(-1) ? 7 : 11;
  const values = [...wrongValues(minor)].filter((_, n) => n % share === 0);
  for (const [name, document] of values)
    yield {
      name,
      text: printConfig([document]),
      ours: said(patchProblems([userPatch([document])], RELEASE[minor])),
      exact: true,
    };
  for (const version of MINORS.slice(0, MINORS.indexOf(minor) + 1)) {
    const contract = `v${version}`;
    // Those of an older contract are seen in full beside its own Talos.
    const seen = [...ourConfigs(contract, secrets)].filter(
      (_, n) => version === minor || process.env.FULL !== undefined || n % 5 === 0,
    );
    for (const [name, documents] of seen) {
      const role = ofRole(documents);
      const clean = MODES.flatMap((mode) => configProblems(documents, { role, mode, talosVersion: RELEASE[minor] }));
      const ours = said([...clean, ...patchProblems([userPatch(documents)], RELEASE[minor])]);
      if (ours.length > 0) throw new Error(`Talos ${minor} takes ${contract} ${name}, and we do not: ${ours.join("; ")}`);
      counted += 1;
    }
    for (const role of ROLES)
      yield* patched(printConfig(baseConfig(plainCluster({ contract, secrets }), role)), contract, role, minor);
  }
}

/** What Talos's own tests read. */
function* theirConfigs(minor: Minor): Generator<Question> {
  const home = process.argv[3 + MINORS.indexOf(minor)] ?? ".";
  for (const file of readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((one) => /testdata\/.*\.yaml$/.test(one))
    .sort()) {
    const text = readFileSync(join(home, file), "utf8");
    const documents = readTheirs(text);
    if (documents !== undefined)
      yield { name: `${minor} ${file}`, text, ours: said(patchProblems([userPatch(documents)], RELEASE[minor])), theirs: true };
  }
}

/** Some are wrong on purpose, or texts that are put together. */
function readTheirs(text: string): ConfigDocument[] | undefined {
  try {
    return parseConfig(text);
  } catch {
    return undefined;
  }
}

function* patched(text: string, contract: string, role: Role, minor: Minor): Generator<Question> {
  for (const mode of MODES) {
    const [metal, name] = [mode === "metal", `${minor} ${contract} ${role} ${mode}`];
    const ours = said(configProblems(parseConfig(text), { role, mode, talosVersion: RELEASE[minor] }));
    yield { name, text, validate: true, metal, ours };
    for (const [title, patch] of REFUSED)
      yield { name: `${name}: ${title}`, text, patch, metal, ours: problemsOf(text, patch, role, mode, minor) };
  }
}

let counted = 0;
const read = new Map<string, Map<string, ConfigDocument[]>>();

/** All that the conformance of machine configs writes, whole ones only: Talos has validated them there. */
function ourConfigs(contract: string, secrets: SecretsBundle): Map<string, ConfigDocument[]> {
  const known = read.get(contract);
  if (known !== undefined) return known;
  const texts = new Map<string, string>();
  const write = (file: string, text: string) => {
    texts.set(file, text);
    return file;
  };
  const context = { contract, secrets, secretsFile: "secrets.yaml", write };
  const bases = clusterCases(context) as { controlplane: string; worker: string }[];
  const nodes = nodeCases(context) as { full: string }[];
  const whole = new Set([
    ...bases.flatMap(({ controlplane, worker }) => [controlplane, worker]),
    ...nodes.map(({ full }) => full),
  ]);
  const configs = new Map([...texts].filter(([file]) => whole.has(file)).map(([file, text]) => [file, parseConfig(text)]));
  read.set(contract, configs);
  return configs;
}

function ofRole(documents: readonly ConfigDocument[]): Role {
  const machine = documents.find(({ kind }) => kind === undefined)?.machine;
  return JSON.stringify(machine).includes('"type":"worker"') ? "worker" : "controlplane";
}

/** As the program does it: the patch by itself, then laid over the config, then the whole. */
function problemsOf(text: string, patch: string, role: Role, mode: "metal" | "cloud", minor: Minor): string[] {
  const talosVersion = RELEASE[minor];
  const patches = [userPatch(readPatch(patch))];
  const alone = said(patchProblems(patches, talosVersion));
  if (alone.length > 0) return alone;
  try {
    const whole = applyPatches(parseConfig(text), patches, { node: "one", talosVersion });
    return said(configProblems(whole, { role, mode, talosVersion, patches }));
  } catch (error) {
    if (!(error instanceof TalosmithError)) throw error;
    return [`${error.message}: ${error.detail}`];
  }
}

/** Also those that are no config to our reader. */
function readPatch(patch: string): ConfigDocument[] {
  if (patch.startsWith("- ")) return [[{ op: "add", path: "/a" }] as unknown as ConfigDocument];
  const halves = /^(apiVersion|kind): (\S+)\n(?!apiVersion|kind)/.exec(patch);
  return halves === null ? parseConfig(patch) : [{ [halves[1] ?? ""]: halves[2] ?? "", name: "one" }];
}

function userPatch(documents: readonly ConfigDocument[]): UserPatch {
  return { title: "patch", documents, where: () => undefined };
}

function said(problems: readonly TalosmithError[]): string[] {
  return problems.map(({ message, hint }) => `${message} (${hint})`);
}

const [, , folder = "."] = process.argv;
const secrets = await createSecretsBundle(realWorld(), { contract: "v1.14", redactor: new Redactor() });
for (const minor of MINORS) await writeQuestions(folder, secrets, minor);
process.stdout.write(`${counted} configs without problems`);
