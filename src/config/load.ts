import { join } from "node:path";
import type { Redactor } from "../lib/secret.ts";
import type { World } from "../lib/world/world.ts";
import { find, locate, plain, type Tree } from "../lib/yaml/tree.ts";
import { allChecks } from "./checks/all.ts";
import { factsOf } from "./checks/facts.ts";
import type { LoadedConfig } from "./config.ts";
import { readConfigFiles } from "./files.ts";
import { Findings } from "./findings.ts";
import { resolveReferences } from "./references.ts";
import { Report } from "./report.ts";
import { resolve } from "./resolve.ts";
import { PLANNED_PLATFORMS } from "./schema/schema.ts";
import { SecretPlaces } from "./secrets.ts";
import { checkShape } from "./shape.ts";
import { trustOf } from "./trust.ts";
import { whereIn } from "./where.ts";

export const CONFIG_FILE = "config.yaml";

/**
 * Reads an environment's config: the file and those it extends, references, shapes, how values fit together, defaults. Throws one error
 * with everything that is wrong. Touches nothing but files and environment variables.
 */
export function loadConfig(world: World, folder: string, redactor: Redactor): LoadedConfig {
  const file = join(folder, CONFIG_FILE);
  const secretPlaces = new SecretPlaces();
  const findings = new Findings(file, secretPlaces, redactor);

  const { trees, merged, problems } = readConfigFiles(world.files, file);
  for (const tree of trees) secretPlaces.learn(tree, (value) => redactor.learn(value));
  findings.problems.push(...problems);
  if (merged === undefined) throw findings.error();
  if (otherPlatform(merged, findings)) throw findings.error();

  const resolved = resolveReferences(merged, world, folder, redactor);
  findings.problems.push(...resolved.problems);
  const shape = checkShape(resolved.tree, resolved.unresolved);
  findings.problems.push(...shape.problems);

  const facts = factsOf(shape.draft);
  const report = new Report(resolved.tree, findings);
  for (const check of allChecks) check(facts, report);
  const trust = trustOf(shape.draft, world, folder, report);
  if (findings.problems.length > 0 || trust === undefined) throw findings.error();

  return {
    config: resolve(facts, trust, redactor),
    warnings: findings.warnings(),
    where: whereIn(facts, (path) => findings.where(locate(resolved.tree, path, "value"))),
  };
}

/** A file for another platform would be wrong in every section; that it is for another platform is all there is to say. */
function otherPlatform(tree: Tree, findings: Findings): boolean {
  const platform = find(tree, ["platform"]);
  const hint = platform?.kind === "scalar" ? new Map(Object.entries(PLANNED_PLATFORMS)).get(String(platform.value)) : undefined;
  if (platform === undefined || hint === undefined) return false;
  const message = `platform ${String(plain(platform))} is not available yet in this version`;
  findings.problems.push({ code: "CONFIG_NOT_YET", at: platform.at, message, hint, remark: "not available yet" });
  return true;
}
