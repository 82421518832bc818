/** One of the ways that the program can take is gone: a block of an if, a side of a choice, the handling of an error, what is done at the end. */
export function branchRemoved({ node, ancestors: [up] }, source) {
  const text = (part) => source.slice(part.start, part.end);
  const statement = (part, replacement = "{}") => ({ start: part.start, end: part.end, kind: "statement", replacement });
  const expression = (replacement) => ({ start: node.start, end: node.end, kind: "expression", replacement: text(replacement) });
  switch (node.type) {
    case "IfStatement":
      return [node.consequent, node.alternate].filter((one) => one && one.type !== "IfStatement").map((one) => statement(one));
    case "ConditionalExpression":
      return [expression(node.alternate), expression(node.consequent)];
    case "LogicalExpression":
      // `...(a && { b })` spreads `a` itself without its right side, which is nothing: only the left side is a branch there.
      return [
        ...(up?.node.type === "SpreadElement" && node.operator === "&&" ? [] : [expression(node.left)]),
        ...(node.operator === "??" ? [] : [expression(node.right)]),
      ];
    case "CatchClause":
      return node.param?.type === "Identifier" ? [body(node.body, `throw ${node.param.name};`)] : [];
    case "TryStatement":
      return node.finalizer ? [body(node.finalizer, "")] : [];
    default:
      return [];
  }
}

/** What is between the braces, which the syntax requires. */
const body = (block, replacement) => ({ start: block.start + 1, end: block.end - 1, kind: "statement", replacement });
