const MOVED = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

/** A comparison is off by one. */
export function boundaryMoved({ node }, source) {
  const moved = node.type === "BinaryExpression" && MOVED[node.operator];
  if (!moved) return [];
  const text = (part) => source.slice(part.start, part.end);
  return [
    { start: node.start, end: node.end, kind: "expression", replacement: `${text(node.left)} ${moved} ${text(node.right)}` },
  ];
}
