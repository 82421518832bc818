import { minorOf } from "../versions.ts";
import { conflictOf } from "./conflicts.ts";
import { disksMatching, selectorExpression, selectorProblem } from "./install-disk.ts";
import type { ValidationMode } from "./mode.ts";
import { ConfigRefused } from "./raw.ts";
import type { DocumentRule, RuleContext } from "./rules.ts";
import { schemaOf } from "./schema.ts";
import { KUBERNETES_RULES } from "./validate-kubernetes.ts";
import { LINK_RULES } from "./validate-links.ts";
import { extensionWarning, mainProblems, versionProblems } from "./validate-machine.ts";
import { PROBE_RULES } from "./validate-probes.ts";
import { RUNTIME_RULES } from "./validate-runtime.ts";
import { VOLUME_RULES } from "./validate-volumes.ts";
import { at, type ConfigDocument, documentsOf, list, mainOf, together } from "./values.ts";
import { wholeProblems } from "./whole.ts";

export type { ValidationMode } from "./mode.ts";
export { at, list, word } from "./values.ts";

const RULES: Readonly<Record<string, DocumentRule>> = {
  ...LINK_RULES,
  ...VOLUME_RULES,
  ...KUBERNETES_RULES,
  ...PROBE_RULES,
  ...RUNTIME_RULES,
};

export interface Verdict {
  problems: readonly string[];
  warnings: readonly string[];
}

/** Checks each document alone, then conflicts between old and new formats, then all of them together (docs/facts/talos.md#validation). */
export function staticVerdict(documents: readonly ConfigDocument[], mode: ValidationMode): Verdict {
  const minor = minorOf(mode.version);
  const context: RuleContext = { mode, warnings: [] };
  const main = mainOf(documents);
  const mainFound = main ? mainProblems(main, mode, context.warnings) : [];
  const others = documents.filter((document) => document.kind !== "v1alpha1");
  const alone = others.flatMap((document) => {
    const found = RULES[document.kind]?.(document, context) ?? [];
    return found.length === 0 ? [] : [`${titleOf(document, minor)}: ${found.join("\n")}`];
  });
  const conflicts = main ? others.flatMap((document) => conflictOf(document, main, mode.version) ?? []) : [];
  return {
    problems: [
      ...(mainFound.length > 0 ? [`v1alpha1.Config: ${together(mainFound)}`] : []),
      ...alone,
      ...conflicts,
      ...(minor > 13 ? wholeProblems(documents, context) : []),
    ],
    warnings: context.warnings,
  };
}

/** Names a document: "LinkConfig/eth0", "HostnameConfig" */
function titleOf({ kind, name }: ConfigDocument, minor: number): string {
  const schema = schemaOf(minor);
  const shape = schema.shapes.get(schema.kinds.get(kind) ?? "");
  return shape?.keys.has("name") ? `${kind}/${name}` : kind;
}

/** Checks that depend on the machine: its disks, and before 1.14 the versions of Kubernetes. */
export function runtimeVerdict(documents: readonly ConfigDocument[], mode: ValidationMode): Verdict {
  const main = mainOf(documents) ?? {};
  const minor = minorOf(mode.version);
  const install = at(main, "machine.install");
  const problems: string[] = [];
  const selector = at(install, "diskSelector");
  if (mode.requiresInstall && selector !== undefined) {
    const unusable = selectorProblem(selector);
    const expression = selectorExpression(selector);
    if (unusable !== undefined) problems.push(`install disk selector is invalid: ${unusable}`);
    else if (disksMatching(mode.disks, expression).length === 0) problems.push(`no disks matched the expression: ${expression}`);
  }
  if (minor < 14) problems.push(...versionProblems(main, mode.version));
  const warnings = [
    ...(list(at(install, "extensions")).length > 0 ? [extensionWarning(minor)] : []),
    // The lab's machines have no IOMMU.
    ...documentsOf(documents, "PCIDriverRebindConfig").map(
      () => "IOMMU is not enabled, this config change might not have any effect",
    ),
  ];
  return { problems: problems.length === 0 ? [] : [`v1alpha1.Config: ${together(problems)}`], warnings };
}

/** Throws `ConfigRefused` with all problems, in Talos's format; returns warnings. */
export function validateDocuments(documents: readonly ConfigDocument[], mode: ValidationMode): string[] {
  const fixed = staticVerdict(documents, mode);
  const runtime = runtimeVerdict(documents, mode);
  const late = minorOf(mode.version) < 14;
  if (late && fixed.problems.length > 0) throw new ConfigRefused(together(fixed.problems), "validate");
  const problems = [...fixed.problems, ...runtime.problems];
  if (problems.length > 0) throw new ConfigRefused(together(problems), late ? "runtime" : "validate");
  return [...fixed.warnings, ...runtime.warnings];
}
