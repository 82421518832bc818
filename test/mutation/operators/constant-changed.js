/** Methods whose argument decides like a comparison does. */
const COMPARES = new Set(["startsWith", "endsWith", "includes"]);

/** From here on a number is a limit or a time, and one more would be no other behaviour. */
const LARGE = 1000;

/** A number is one more (a large one is doubled), a boolean the opposite, a word that something is compared with another word. */
export function constantChanged({ node, ancestors: [up] }) {
  if (node.type !== "Literal") return [];
  const changed = (replacement) => [{ start: node.start, end: node.end, kind: "expression", replacement }];
  if (typeof node.value === "number") return changed(String(node.value < LARGE ? node.value + 1 : node.value * 2));
  if (typeof node.value === "boolean") return changed(String(!node.value));
  if (typeof node.value === "bigint") return changed(`${node.value + 1n}n`);
  return typeof node.value === "string" && isCompared(up) ? changed(JSON.stringify(`${node.value}~`)) : [];
}

function isCompared({ node, key }) {
  if (node.type === "SwitchCase") return true;
  if (node.type === "BinaryExpression") return node.operator === "===" || node.operator === "!==";
  return node.type === "CallExpression" && key === "arguments" && COMPARES.has(node.callee.property?.name);
}
