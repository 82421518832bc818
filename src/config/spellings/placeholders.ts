import { eachScalar, type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem } from "../findings.ts";

/** Placeholders of examples and templates that the user has to replace. */
const PLACEHOLDER = /^(REPLACE|CHANGE|FILL)[_ -]?(ME|THIS|IN|WITH)([_ -][A-Z0-9]+)*$|^YOUR([_ -][A-Z0-9]+)+$/;

export function isPlaceholder(value: unknown): boolean {
  return typeof value === "string" && PLACEHOLDER.test(value);
}

/** Finds placeholders that the user has not replaced yet. */
export function placeholders(tree: Tree): { problems: Problem[]; paths: Path[] } {
  const problems: Problem[] = [];
  const paths: Path[] = [];
  eachScalar(tree, (scalar, path) => {
    if (scalar.written !== undefined || !isPlaceholder(scalar.value)) return;
    paths.push(path);
    problems.push({
      code: "CONFIG_VALUE",
      at: scalar.at,
      message: `${pathName(path)} still contains a placeholder`,
      hint: `replace ${scalar.value} with the real value`,
      remark: "placeholder",
    });
  });
  return { problems, paths };
}
