import { parse, type Tree } from "./parse.ts";
import { type CelPlace, FIELDS } from "./places.ts";
import { NotCel } from "./tokens.ts";

/**
 * Returns the problem of an expression that Talos certainly refuses, or nothing. Talos's own checker infers more types, so it may refuse an expression
 * that passes here.
 */
export function celProblem(expression: string, place: CelPlace): string | undefined {
  // Not written by hand, and the parser's recursion grows with the length.
  if (expression.length > 2000) return undefined;
  try {
    const type = new Judge(place).typeOf(parse(expression));
    return fits(type, place.gives) ? undefined : `its result is ${named(type)} and must be ${named(place.gives)}`;
  } catch (error) {
    if (!(error instanceof NotCel)) throw error;
    return `${error.problem} (character ${error.at + 1})`;
  }
}

const UNKNOWN = "?";
const NUMBERS = ["int", "uint", "double"];
const ORDERED = [...NUMBERS, "string", "bytes", "bool", "duration", "timestamp"];
const SINGLE = [...NUMBERS, "string", "bytes", "bool"];
/** The types that each operator accepts, which are also the types of its result. */
const ARITHMETIC: Readonly<Record<string, readonly string[]>> = {
  "+": [...NUMBERS, "string", "bytes", "list"],
  "-": NUMBERS,
  "*": NUMBERS,
  "/": NUMBERS,
  "%": ["int", "uint"],
};
const CONVERSIONS = ["int", "uint", "double", "string", "bytes", "bool", "duration", "timestamp"];
const OF_TEXTS = ["contains", "startsWith", "endsWith", "matches"];
const MACROS = ["all", "exists", "exists_one", "existsOne", "filter", "map"];
const OTHERS = ["has", "size", "dyn", "type"];
const OF_TIMES = /^get(Date|DayOfMonth|DayOfWeek|DayOfYear|FullYear|Hours|Milliseconds|Minutes|Month|Seconds)$/;
/** Names of types, which are values too, and the first parts of qualified names that Talos registers. */
const OTHER_NAMES = [...CONVERSIONS, "list", "map", "null_type", "optional_type", "type", "dyn", "google", "talos", "common"];

class Judge {
  #names: ReadonlyMap<string, string>;

  constructor(readonly place: CelPlace) {
    this.#names = new Map(Object.entries(place.names));
  }

  typeOf(tree: Tree): string {
    switch (tree.is) {
      case "value":
        return tree.type;
      case "name":
        return this.#name(tree);
      case "list":
        for (const item of tree.items) this.typeOf(item);
        return "list";
      case "map":
        for (const item of tree.items) this.#inMap(item);
        return UNKNOWN;
      case "field":
        return this.#field(tree);
      case "item": {
        const of = this.typeOf(tree.of);
        this.typeOf(tree.key);
        if (SINGLE.includes(of)) throw new NotCel(tree.at, `${named(of)} has no elements`);
        return of === "map" ? "double" : UNKNOWN;
      }
      case "call":
        return this.#call(tree);
      case "operator":
        return this.#operator(tree);
    }
  }

  #name({ name, at }: Tree & { is: "name" }): string {
    const type = this.#names.get(name);
    if (type !== undefined) return type;
    if (OTHER_NAMES.includes(name)) return UNKNOWN;
    throw new NotCel(at, `there is no ${name} here`);
  }

  /** A key of a message literal is a bare name. */
  #inMap(item: Tree): void {
    if (item.is !== "name" || this.#names.has(item.name)) this.typeOf(item);
  }

  #field({ of, name, at }: Tree & { is: "field" }): string {
    const type = this.typeOf(of);
    const fields = FIELDS[type];
    if (fields !== undefined) {
      const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (found === undefined) throw new NotCel(at, `${type} has no ${name}`);
      return found;
    }
    if (SINGLE.includes(type) || type === "list") throw new NotCel(at, `${named(type)} has no ${name}`);
    return UNKNOWN;
  }

  #call(call: Tree & { is: "call" }): string {
    const { name, of, given, at } = call;
    if (of !== undefined && MACROS.includes(name)) return this.#macro(call);
    if (name === "has" && of === undefined && !isField(given[0])) throw new NotCel(at, "has() takes a field");
    const types = [...(of === undefined ? [] : [this.typeOf(of)]), ...given.map((one) => this.typeOf(one))];
    const wants = (...wanted: string[]) => {
      if (types.length !== wanted.length || types.some((type, index) => !fits(type, wanted[index] ?? "")))
        throw new NotCel(at, `${name}() takes ${wanted.map(named).join(" and ")}`);
    };
    if (this.place.functions.includes(name)) {
      if (name === "glob") wants("string", "string");
      if (name === "mac") wants("bytes");
      return { glob: "bool", mac: "string", multiply_qos_vectors: "double", hasValue: "bool" }[name] ?? UNKNOWN;
    }
    if (OF_TEXTS.includes(name)) {
      wants("string", "string");
      return "bool";
    }
    if (CONVERSIONS.includes(name) && of === undefined) return name;
    if (name === "size" || OF_TIMES.test(name)) return "int";
    if (OTHERS.includes(name)) return name === "has" ? "bool" : UNKNOWN;
    throw new NotCel(at, `there is no ${name}() here`);
  }

  /** The first argument of a macro names the current element. */
  #macro({ name, of, given }: Tree & { is: "call" }): string {
    if (of !== undefined) this.typeOf(of);
    const [variable, ...inner] = given;
    const outer = this.#names;
    if (variable?.is === "name") this.#names = new Map([...outer, [variable.name, UNKNOWN]]);
    for (const one of inner) this.typeOf(one);
    this.#names = outer;
    return name === "map" || name === "filter" ? UNKNOWN : "bool";
  }

  #operator({ sign, given, at }: Tree & { is: "operator" }): string {
    const types = given.map((one) => this.typeOf(one));
    const [left = UNKNOWN, right = UNKNOWN, third = UNKNOWN] = types;
    const refuse = (): never => {
      const both = types.map(named).join(" and ");
      throw new NotCel(
        at,
        `${sign.replace("_", "")} cannot be used with ${both}${left === "uint" || right === "uint" ? UNSIGNED : ""}`,
      );
    };
    if (sign === "?") return fits(left, "bool") ? (right === third ? right : UNKNOWN) : refuse();
    if (sign === "&&" || sign === "||" || sign === "!_") return types.every((type) => fits(type, "bool")) ? "bool" : refuse();
    if (sign === "-_") return ["uint", "string", "bytes", "bool"].includes(left) ? refuse() : left;
    if (sign === "in") return SINGLE.includes(right) ? refuse() : "bool";
    // null stands for messages, times among them.
    if (types.includes(UNKNOWN) || types.includes("null")) return sign in ARITHMETIC ? UNKNOWN : "bool";
    if (sign === "==" || sign === "!=") return left === right ? "bool" : refuse();
    const allowed = ARITHMETIC[sign];
    if (allowed === undefined) return left === right && ORDERED.includes(left) ? "bool" : refuse();
    if (types.some((type) => type === "duration" || type === "timestamp")) return UNKNOWN;
    return left === right && allowed.includes(left) ? left : refuse();
  }
}

/** Whether the argument of has() selects a field. */
function isField(tree: Tree | undefined): boolean {
  return tree?.is === "field" || (tree?.is === "call" && tree.name === "has");
}

const UNSIGNED = "; sizes are unsigned: write 100u";

function fits(type: string, wanted: string): boolean {
  return type === wanted || type === UNKNOWN;
}

const WORDS: Readonly<Record<string, string>> = {
  bool: "true or false",
  int: "a number",
  uint: "an unsigned number",
  double: "a number with a point",
  string: "text",
  bytes: "bytes",
  list: "a list",
  null: "null",
  optional: "an optional value",
};

function named(type: string): string {
  return WORDS[type] ?? `a ${type}`;
}
