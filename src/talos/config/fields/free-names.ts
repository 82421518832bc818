import { type Field, fieldsOf, inside } from "./field.ts";
import { MINORS } from "./kinds.ts";

/**
 * Whether the value at a path is text under a name that people give, written as a number or not: labels, variables, kernel parameters.
 * Paths begin with the kind; a list adds nothing to one.
 */
export function isText(path: readonly string[]): boolean {
  const parent = parentOf(path);
  return parent?.is === "map" && parent.of.is === "plain" && parent.of.word === "text";
}

function parentOf(path: readonly string[]): Field | undefined {
  let field: Field | undefined = fieldsOf(path[0] ?? "", MINORS[MINORS.length - 1] ?? "1.14");
  for (const key of path.slice(1, -1)) field = field && inside(field, key);
  return field?.is === "list" ? field.of : field;
}
