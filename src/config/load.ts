import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { find, locate, type Path, plain, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { checkMade } from "./checks/addons/made.ts";
import { CHECKS } from "./checks/all.ts";
import { factsOf } from "./checks/facts.ts";
import { refuseForeign } from "./checks/foreign.ts";
import type { LoadedConfig } from "./config.ts";
import { Findings } from "./findings.ts";
import { gitKeysOf } from "./git-keys.ts";
import { readManifests } from "./manifests/read-manifests.ts";
import { readPatches } from "./patches/read-patches.ts";
import type { Platforms } from "./platform.ts";
import { isReference, resolveReferences } from "./references.ts";
import { registryAuthorities } from "./registry-authorities.ts";
import { Report } from "./report.ts";
import { makeAddons } from "./resolve/addons/make.ts";
import { resolve } from "./resolve/resolve.ts";
import { Grammar } from "./schema/grammar.ts";
import { SecretPlaces } from "./secrets.ts";
import { checkShape } from "./shape.ts";
import { normaliseFlat } from "./spellings/flat.ts";
import { isFlat } from "./spellings/flat-keys.ts";
import { placeholders } from "./spellings/placeholders.ts";
import { readSpelled } from "./spellings/spelling.ts";
import { networkKey } from "./ssh-key.ts";
import { whereIn } from "./where.ts";

/**
 * Reads an environment's config: the file and those it extends, references, shapes, how values fit together, defaults. Throws one error
 * with everything that is wrong. Touches nothing but files and environment variables.
 */
export function loadConfig(
  platforms: Platforms,
  world: World,
  folder: string,
  redactor: Redactor,
  options: LoadOptions = {},
): LoadedConfig {
  return loadWritten(platforms, world, folder, redactor, options).loaded;
}

export interface LoadOptions {
  /** For commands that create the login: it may be missing or an unresolvable reference, and its secret is then empty. */
  readonly withoutLogin?: boolean;
  /** As for readSpelled. */
  readonly besides?: string;
}

/** Like `loadConfig`, and also returns the tree of sections and the names of the files. */
export function loadWritten(
  platforms: Platforms,
  world: World,
  folder: string,
  redactor: Redactor,
  { besides, withoutLogin = false }: LoadOptions = {},
): { loaded: LoadedConfig; tree: Tree; names: readonly string[]; flat: boolean } {
  const spelled = readSpelled(platforms, world.files, folder, besides);
  const secretPlaces = new SecretPlaces();
  const findings = new Findings(spelled.file, secretPlaces, redactor);
  for (const tree of spelled.trees) secretPlaces.learn(tree, (value) => redactor.learn(value));
  findings.add(spelled.problems);
  if (spelled.merged === undefined) throw findings.error();
  if (plannedPlatform(platforms, spelled.merged, findings)) throw findings.error();

  const logins = platforms.available.flatMap(({ login = [] }) => login);
  const missing = withoutLogin ? logins : [];
  const resolved = resolveReferences(spelled.merged, { world, folder, redactor, mayBeMissing: missing });
  const blanks = placeholders(resolved.tree);
  findings.add([...resolved.problems, ...blanks.problems]);
  const unclear = [...spelled.silent, ...resolved.unresolved, ...blanks.paths];
  const { tree, silent } = inSections(platforms, resolved.tree, unclear, findings);
  const absent = missing.filter((path) => find(tree, path) === undefined);
  const shape = checkShape(Grammar.of(platforms), tree, [...silent, ...absent]);
  findings.add(shape.problems);

  const facts = factsOf(shape.draft, platforms);
  const report = new Report(tree, findings);
  for (const check of CHECKS) check(facts, report);
  refuseForeign(shape.foreign, facts.platform, report);
  facts.platform?.check?.(facts, report);
  const finish = facts.platform?.read?.(facts, { world, folder, report });
  const sshKey = networkKey(shape.draft, { world, folder, report });
  const authorities = registryAuthorities(shape.draft, world, folder, report);
  const reading = { world, folder, redactor, findings };
  const patches = readPatches(shape.draft, tree, reading);
  const manifests = readManifests(shape.draft, tree, reading);
  const gitKeys = gitKeysOf(shape.draft, world, folder, report);
  if (findings.problems.length > 0) throw findings.error();

  const addons = makeAddons(facts, manifests, { tree, redactor, gitKeys });
  checkMade(facts, addons, report);
  if (findings.problems.length > 0) throw findings.error();

  const loaded = {
    config: resolve(facts, { finish, sshKey, patches, authorities, addons }, redactor),
    warnings: findings.warnings(),
    where: whereIn(facts, tree, (path) => findings.where(locate(tree, path, "value"))),
    ...referenceAt(resolved.tree, logins),
  };
  return { loaded, tree, names: spelled.names, flat: isFlat(platforms, resolved.tree) };
}

/** The reference that a command that creates the login has to fill. */
function referenceAt(tree: Tree, [path]: readonly Path[]): Pick<LoadedConfig, "tokenReference"> {
  const found = path && find(tree, path);
  const written = found?.kind === "scalar" ? (found.written ?? String(found.value)) : "";
  return isReference(written) ? { tokenReference: written } : {};
}

/** Converts flat keys to sections, so that later steps see only one format. */
function inSections(platforms: Platforms, tree: Tree, silent: Path[], findings: Findings): { tree: Tree; silent: Path[] } {
  if (tree.kind !== "map" || !isFlat(platforms, tree)) return { tree, silent };
  const flat = normaliseFlat(platforms, tree, silent);
  findings.add(flat.problems);
  findings.warned.push(...flat.warned);
  findings.rename = flat.rename;
  return flat;
}

/** Reports a planned platform alone, because every section of such a file would be invalid. */
function plannedPlatform({ planned }: Platforms, tree: Tree, findings: Findings): boolean {
  const platform = find(tree, ["platform"]);
  const hint = platform?.kind === "scalar" ? new Map(Object.entries(planned)).get(String(platform.value)) : undefined;
  if (platform === undefined || hint === undefined) return false;
  const message = `platform ${String(plain(platform))} is not available yet in this version`;
  findings.problems.push({ code: "CONFIG_NOT_YET", at: platform.at, message, hint, remark: "not available yet" });
  return true;
}
