import { SIZES } from "./environments.ts";
import { type Expression, parseCel } from "./parse.ts";

export type CelValue = string | number | boolean | null | readonly CelValue[] | { readonly [field: string]: CelValue };

/** Whether a checked expression is true; an error during its evaluation counts as false. */
export function celHolds(text: string, variables: Readonly<Record<string, CelValue>>): boolean {
  try {
    return value(parseCel(text), { ...SIZES, ...variables }) === true;
  } catch {
    return false;
  }
}

/** Matches a pattern in which only * is special. */
export function globMatches(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("*", ".*")}$`, "s").test(text);
}

function value(expression: Expression, names: Readonly<Record<string, CelValue>>): CelValue {
  switch (expression.is) {
    case "literal":
      return expression.value;
    case "name":
      return names[expression.name] ?? null;
    case "list":
      return expression.items.map((item) => value(item, names));
    case "map":
      // Only OOMConfig uses these, whose expressions are not evaluated here.
      return null;
    case "field":
      return fieldOf(value(expression.of, names), expression.name);
    case "index": {
      const of = value(expression.of, names);
      return Array.isArray(of) ? (of[Number(value(expression.key, names))] ?? null) : null;
    }
    case "call":
      return call(expression, names);
    default:
      return operate(expression, names);
  }
}

function fieldOf(of: CelValue, name: string): CelValue {
  return typeof of === "object" && of !== null && !Array.isArray(of) ? ((of as Record<string, CelValue>)[name] ?? "") : "";
}

function call({ name, on, values }: Expression & { is: "call" }, names: Readonly<Record<string, CelValue>>): CelValue {
  const [variable, body] = values;
  if (on && (name === "exists" || name === "all") && variable?.is === "name" && body) {
    const of = value(on, names);
    const holds = (item: CelValue) => value(body, { ...names, [variable.name]: item }) === true;
    const items = Array.isArray(of) ? (of as CelValue[]) : [];
    return name === "exists" ? items.some(holds) : items.every(holds);
  }
  const [first = "", second = ""] = [...(on ? [value(on, names)] : []), ...values.map((one) => value(one, names))];
  const [a, b] = [String(first), String(second)];
  if (name === "glob") return globMatches(a, b);
  if (name === "startsWith") return a.startsWith(b);
  if (name === "endsWith") return a.endsWith(b);
  if (name === "contains") return a.includes(b);
  if (name === "matches") return new RegExp(b).test(a);
  if (name === "size") return Array.isArray(first) ? first.length : a.length;
  if (name === "has") return first !== "";
  if (name === "int" || name === "uint" || name === "double") return Number(first);
  // Links are given with their addresses as text already, which is the result of mac().
  return a;
}

function operate({ name, values }: Expression & { is: "operator" }, names: Readonly<Record<string, CelValue>>): CelValue {
  const [left, right, third] = values as [Expression, Expression, Expression];
  const first = value(left, names);
  if (name === "_&&_") return first === true && value(right, names) === true;
  if (name === "_||_") return first === true || value(right, names) === true;
  if (name === "_?_:_") return value(first === true ? right : third, names);
  if (name === "!_") return first !== true;
  if (name === "-_") return -Number(first);
  const second = value(right, names);
  if (name === "_==_") return first === second;
  if (name === "_!=_") return first !== second;
  if (name === "@in") return Array.isArray(second) && second.includes(first);
  const order =
    typeof first === "string" ? (first < String(second) ? -1 : first > String(second) ? 1 : 0) : Number(first) - Number(second);
  if (name === "_<_") return order < 0;
  if (name === "_<=_") return order <= 0;
  if (name === "_>_") return order > 0;
  if (name === "_>=_") return order >= 0;
  if (name === "_+_" && typeof first === "string") return first + String(second);
  const [a, b] = [Number(first), Number(second)];
  return { "_+_": a + b, "_-_": a - b, "_*_": a * b, "_/_": Math.trunc(a / b), "_%_": a % b }[name] ?? null;
}
