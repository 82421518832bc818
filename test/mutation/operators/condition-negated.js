import { isTest } from "../syntax.js";

const OPPOSITE = { "===": "!==", "!==": "===" };

/** A condition holds when it should not, and the other way round. */
export function conditionNegated({ node, ancestors: [up] }, source) {
  const text = (part) => source.slice(part.start, part.end);
  const expression = (replacement) => [{ start: node.start, end: node.end, kind: "expression", replacement }];
  if (node.type === "BinaryExpression" && OPPOSITE[node.operator])
    return expression(`${text(node.left)} ${OPPOSITE[node.operator]} ${text(node.right)}`);
  if (node.type === "UnaryExpression" && node.operator === "!") return expression(`!!(${text(node.argument)})`);
  return isTest(up) && node.type !== "Literal" ? expression(`!(${text(node)})`) : [];
}
