import { type Environment, FIELDS, MESSAGES } from "./environments.ts";
import { type Expression, parseCel } from "./parse.ts";
import { CelProblems } from "./syntax.ts";

/** Checks an expression that must have this type, with the messages of cel-go; undefined when it is valid. */
export function celProblem(text: string, environment: Environment, gives: "bool" | "double" = "bool"): string | undefined {
  try {
    const checker = new Checker(environment);
    const type = checker.typeOf(parseCel(text));
    if (checker.problems.length > 0) throw new CelProblems(text, checker.problems);
    if (type === gives) return undefined;
    return `expression output type is ${type === UNKNOWN ? "dyn" : printed(type)}, expected ${gives}`;
  } catch (error) {
    if (error instanceof CelProblems) return error.message;
    throw error;
  }
}

/** The type of an invalid expression: it is compatible with every type. */
const UNKNOWN = "!";

const NUMBERS = ["int", "uint", "double"];
const ORDERED = [...NUMBERS, "string", "bytes", "bool", "duration", "timestamp"];

class Checker {
  readonly problems: { at: number; text: string }[] = [];
  #names: Readonly<Record<string, string>>;

  constructor(readonly environment: Environment) {
    this.#names = environment.names;
  }

  typeOf(expression: Expression): string {
    switch (expression.is) {
      case "literal":
        return expression.type;
      case "name":
        return this.#named(expression.name, expression.at);
      case "list": {
        const [first = "dyn"] = expression.items.map((item) => this.typeOf(item));
        return `list(${first})`;
      }
      case "map": {
        const [keys, values] = [0, 1].map((place) =>
          joined(expression.entries.map((entry) => this.typeOf(entry[place] as Expression))),
        );
        return `map(${keys}, ${values})`;
      }
      case "field":
        return this.#field(expression);
      case "index": {
        const of = this.typeOf(expression.of);
        this.typeOf(expression.key);
        const element = /^list\((.*)\)$/.exec(of)?.[1] ?? valuesOf(of) ?? "dyn";
        if (expression.optional !== true) return element;
        return this.#mayBeOptional() ? `optional_type(${element})` : this.#problem(expression.at, "unsupported syntax '[?'");
      }
      case "call":
        return this.#call(expression);
      default:
        return this.#operator(expression);
    }
  }

  #problem(at: number, text: string): string {
    this.problems.push({ at, text });
    return UNKNOWN;
  }

  #named(name: string, at: number): string {
    const type = Object.hasOwn(this.#names, name) ? this.#names[name] : undefined;
    return type ?? this.#problem(at, `undeclared reference to '${name}' (in container '')`);
  }

  #field({ of, name, at }: Expression & { is: "field" }): string {
    const type = this.typeOf(of);
    if (type === UNKNOWN || type === "dyn") return type;
    const fields = FIELDS[type];
    const values = valuesOf(type);
    if (values !== undefined) return values;
    if (!fields) return this.#problem(at, `type '${printed(type)}' does not support field selection`);
    return fields[name] ?? this.#problem(at, `undefined field '${name}'`);
  }

  #call({ name, on, values, at }: Expression & { is: "call" }): string {
    if (on && (name === "exists" || name === "all" || name === "exists_one") && values[0]?.is === "name" && values[1]) {
      const outer = this.#names;
      const element = /^list\((.*)\)$/.exec(this.typeOf(on))?.[1] ?? "dyn";
      this.#names = { ...outer, [values[0].name]: element };
      this.typeOf(values[1]);
      this.#names = outer;
      return "bool";
    }
    if (!on && name === "has") return "bool";
    if (this.#mayBeOptional() && on) {
      const optional = this.#optional(name, on, values);
      if (optional !== undefined) return optional;
    }
    const types = [...(on ? [this.typeOf(on)] : []), ...values.map((value) => this.typeOf(value))];
    const signatures = this.#signatures(name, on !== undefined);
    if (!signatures) return this.#problem(at, `undeclared reference to '${name}' (in container '')`);
    const found = signatures.find(
      ({ takes }) => takes.length === types.length && takes.every((want, index) => fits(types[index], want)),
    );
    return found ? found.gives : types.includes(UNKNOWN) ? UNKNOWN : this.#noOverload(at, name, types, on !== undefined);
  }

  #mayBeOptional(): boolean {
    return (this.environment.functions as readonly string[]).includes("optional");
  }

  /** The type of optional.of(…) and similar functions, and of methods on optional values; undefined for other functions. */
  #optional(name: string, on: Expression, values: readonly Expression[]): string | undefined {
    const [given = "dyn"] = on.is === "name" && on.name === "optional" ? values.map((value) => this.typeOf(value)) : [];
    if (on.is === "name" && on.name === "optional")
      return ["of", "none", "ofNonZeroValue"].includes(name) ? `optional_type(${given})` : undefined;
    const inner = /^optional_type\((.*)\)$/.exec(this.typeOf(on))?.[1];
    if (inner === undefined) return undefined;
    if (name === "hasValue" && values.length === 0) return "bool";
    if (name === "value" && values.length === 0) return inner;
    const [other, more] = values;
    if (!other || more) return undefined;
    const type = this.typeOf(other);
    if (name === "orValue" && (fits(type, inner) || inner === "dyn")) return inner === "dyn" ? type : inner;
    if (name === "or" && /^optional_type\(/.test(type)) return `optional_type(${inner})`;
    return undefined;
  }

  #signatures(name: string, member: boolean): { takes: string[]; gives: string }[] | undefined {
    const known = this.environment.functions as readonly string[];
    if (name === "glob" && known.includes(name) && !member) return [{ takes: ["string", "string"], gives: "bool" }];
    if (name === "mac" && known.includes(name) && !member) return [{ takes: ["bytes"], gives: "string" }];
    if (name === "multiply_qos_vectors" && known.includes(name) && !member)
      return [{ takes: ["map(dyn, double)", "map(dyn, double)"], gives: "double" }];
    if ((name === "duration" || name === "timestamp") && !member)
      return ["string", "int", name].map((take) => ({ takes: [take], gives: name }));
    if (["startsWith", "endsWith", "contains"].includes(name) && member) return [{ takes: ["string", "string"], gives: "bool" }];
    if (name === "matches") return [{ takes: ["string", "string"], gives: "bool" }];
    if (name === "size") return ["string", "bytes", "list"].map((take) => ({ takes: [take], gives: "int" }));
    if (name === "dyn" && !member) return [...ORDERED, "list"].map((take) => ({ takes: [take], gives: name }));
    if (["int", "uint", "double", "string", "bool"].includes(name) && !member)
      return ORDERED.map((take) => ({ takes: [take], gives: name }));
    return undefined;
  }

  #noOverload(at: number, name: string, types: readonly string[], member = false): string {
    const [first = "", ...rest] = types.map(printed);
    const applied = member ? `${first}.(${rest.join(", ")})` : `(${[first, ...rest].join(", ")})`;
    return this.#problem(at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  #operator({ name, values, at }: Expression & { is: "operator" }): string {
    const types = values.map((value) => this.typeOf(value));
    if (types.includes(UNKNOWN)) return ["_+_", "_-_", "_*_", "_/_", "_%_", "-_", "_?_:_"].includes(name) ? UNKNOWN : "bool";
    const [left = "", right = ""] = types;
    const gives = operatorType(name, left, right, types[2]);
    return gives ?? this.#noOverload(at, name, types);
  }
}

function operatorType(name: string, left: string, right: string, third: string | undefined): string | undefined {
  const optional = [left, right].every((type) => type.startsWith("optional_type("));
  const same = left === right || left === "dyn" || right === "dyn" || (optional && `${left} ${right}`.includes("(dyn)"));
  if (name === "!_") return left === "bool" || left === "dyn" ? "bool" : undefined;
  if (name === "-_") return left === "int" || left === "double" ? left : undefined;
  if (name === "_&&_" || name === "_||_")
    return [left, right].every((type) => type === "bool" || type === "dyn") ? "bool" : undefined;
  if (name === "_==_" || name === "_!=_") return same ? "bool" : undefined;
  if (name === "@in") return /^(list\(|map\(|dyn)/.test(right) ? "bool" : undefined;
  if (name === "_?_:_") return left === "bool" && right === third ? right : undefined;
  if (/^_[<>]=?_$/.test(name)) return same && (ORDERED.includes(left) || left === "dyn") ? "bool" : undefined;
  if (name === "_+_") return same && [...NUMBERS, "string"].includes(left) ? left : undefined;
  return same && NUMBERS.includes(left) ? left : undefined;
}

function fits(type: string | undefined, wanted: string): boolean {
  if (wanted === "map(dyn, double)" && /^map\(\w+, (double|dyn)\)$/.test(type ?? "")) return true;
  return type === wanted || type === "dyn" || (wanted === "list" && type?.startsWith("list(") === true);
}

/** The value type of a map. */
function valuesOf(type: string): string | undefined {
  return /^map\(\w+, (.*)\)$/.exec(type)?.[1];
}

/** The common type; dyn when they differ, or the list is empty. */
function joined(types: readonly string[]): string {
  const [first, ...others] = new Set(types);
  return first === undefined || others.length > 0 ? "dyn" : first;
}

function printed(type: string): string {
  return MESSAGES[type] ?? type;
}
