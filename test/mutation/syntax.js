import { parseSync } from "vite";

/** Texts for people: their wording is no promise, and neither is what decides about it. */
const PROSE = new Set(["message", "hint", "detail", "what", "title", "reason", "runbook"]);

/** Nodes whose inside is never mutated: types, names of other modules, prose. */
function isOutOfBounds(node, parent, key) {
  if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration" || node.type === "TemplateLiteral") return true;
  if (node.declare === true) return true;
  if (node.type === "TSEnumDeclaration") return true;
  if (parent?.type === "Property" && key === "value" && PROSE.has(parent.key.name)) return true;
  if (parent && ["Property", "MethodDefinition", "PropertyDefinition"].includes(parent.type) && key === "key" && !parent.computed)
    return true;
  return node.type.startsWith("TS") && !("expression" in node && WRAPPERS.has(node.type));
}

/** Types around an expression that exists at run time. */
const WRAPPERS = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/**
 * All nodes of a TypeScript source that can be mutated, outermost first. Each comes with its ancestors, innermost first, as `{ node, key }`: `key` is the
 * property of the ancestor through which the way to the node leads.
 */
export function* nodesOf(source, name = "source.ts") {
  const { program, errors } = parseSync(name, source, { preserveParens: false });
  if (errors.length > 0) throw new Error(`Unable to parse ${name}: ${errors[0].message}`);
  yield* walk(program, []);
}

function* walk(node, ancestors) {
  const [up] = ancestors;
  if (isOutOfBounds(node, up?.node, up?.key)) return;
  yield { node, ancestors };
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child.type === "string") yield* walk(child, [{ node, key }, ...ancestors]);
  }
}

/** The condition of an if, a loop or a conditional expression. */
export const isTest = (up) =>
  up?.key === "test" &&
  ["IfStatement", "WhileStatement", "DoWhileStatement", "ForStatement", "ConditionalExpression"].includes(up.node.type);
