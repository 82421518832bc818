/** Shown to people while something goes on; nothing depends on it. */
const DECORATION = new Set(["say", "log", "debug", "info", "warn", "unref", "ref"]);

/** Methods that return the same kind of value as they are called on, so that leaving the call out still compiles. */
const SAME_KIND = new Set([
  "filter",
  "sort",
  "toSorted",
  "reverse",
  "toReversed",
  "trim",
  "trimEnd",
  "trimStart",
  "toLowerCase",
  "toUpperCase",
  "slice",
]);

/** A call does not happen: one whose value is not used, or one in a chain that only changes the value. */
export function callRemoved({ node, ancestors }, source) {
  if (node.type === "ExpressionStatement") {
    const call = withoutWaiting(node.expression);
    return call.type === "CallExpression" && call.callee.type !== "Super" && !DECORATION.has(nameOf(call.callee))
      ? [{ start: node.start, end: node.end, kind: "statement", replacement: ";" }]
      : [];
  }
  const isLink = node.type === "CallExpression" && node.callee.type === "MemberExpression" && SAME_KIND.has(nameOf(node.callee));
  if (!isLink || isInOptionalChain(ancestors)) return [];
  const { object } = node.callee;
  return [{ start: node.start, end: node.end, kind: "expression", replacement: source.slice(object.start, object.end) }];
}

function withoutWaiting(expression) {
  const isWait =
    expression.type === "AwaitExpression" || (expression.type === "UnaryExpression" && expression.operator === "void");
  if (isWait) return withoutWaiting(expression.argument);
  return expression.type === "ChainExpression" ? withoutWaiting(expression.expression) : expression;
}

const nameOf = (callee) => (callee.type === "MemberExpression" ? callee.property.name : callee.name);

/** `a?.b.filter(c).length` ends where `a` is undefined; in parentheses its head would not. */
function isInOptionalChain(ancestors) {
  const out = ancestors.find(({ key }) => key !== "object" && key !== "callee");
  return out?.node.type === "ChainExpression";
}
