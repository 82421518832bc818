import { SyntaxProblem } from "./syntax.ts";

/** Integers, as `$((…))` counts; a name stands for the number in a variable. */
export function arithmetic(text: string, variable: (name: string) => string): number {
  const tokens = text.match(/\d+|0x[\da-f]+|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%()<>!~&|^?:]|\S/gi) ?? [];
  let at = 0;
  const LEVELS: readonly (readonly string[])[] = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!="],
    ["<", ">", "<=", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
  ];
  const bad = () => new SyntaxProblem(`arithmetic expression: syntax error: "${text}"`);
  const primary = (): number => {
    const token = tokens[at++];
    if (token === undefined) throw bad();
    if (token === "-") return -primary();
    if (token === "+") return primary();
    if (token === "!") return Number(primary() === 0);
    if (token === "~") return ~primary();
    if (token === "(") {
      const value = choice();
      if (tokens[at++] !== ")") throw bad();
      return value;
    }
    if (/^[A-Za-z_]/.test(token)) return Number(variable(token) || 0);
    if (!/^\d/.test(token)) throw bad();
    return /^0[0-7]+$/.test(token) ? Number.parseInt(token, 8) : Number(token);
  };
  const binary = (level: number): number => {
    const operators = LEVELS[level];
    if (!operators) return primary();
    let value = binary(level + 1);
    for (let operator = tokens[at]; operator !== undefined && operators.includes(operator); operator = tokens[at]) {
      at++;
      value = combine(value, operator, binary(level + 1));
    }
    return value;
  };
  const choice = (): number => {
    const test = binary(0);
    if (tokens[at] !== "?") return test;
    at++;
    const yes = choice();
    if (tokens[at++] !== ":") throw bad();
    const no = choice();
    return test !== 0 ? yes : no;
  };
  if (tokens.length === 0) return 0;
  const value = choice();
  if (at < tokens.length) throw bad();
  return value;
}

/** Numbers here are bytes of disks: more than 32 bits, fewer than 53. */
function combine(one: number, operator: string, other: number): number {
  switch (operator) {
    case "||":
      return Number(one !== 0 || other !== 0);
    case "&&":
      return Number(one !== 0 && other !== 0);
    case "|":
      return Number(BigInt(one) | BigInt(other));
    case "^":
      return Number(BigInt(one) ^ BigInt(other));
    case "&":
      return Number(BigInt(one) & BigInt(other));
    case "==":
      return Number(one === other);
    case "!=":
      return Number(one !== other);
    case "<":
      return Number(one < other);
    case ">":
      return Number(one > other);
    case "<=":
      return Number(one <= other);
    case ">=":
      return Number(one >= other);
    case "<<":
      return one * 2 ** other;
    case ">>":
      return Math.floor(one / 2 ** other);
    case "+":
      return one + other;
    case "-":
      return one - other;
    case "*":
      return one * other;
    default:
      if (other === 0) throw new SyntaxProblem("arithmetic expression: division by zero");
      return operator === "/" ? Math.trunc(one / other) : one % other;
  }
}
