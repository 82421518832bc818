import { messageOf } from "@talosmith/lib/errors.ts";
import type { Loose } from "../../objects.ts";
import { type Expression, type Parsed, type Pipeline, parseTemplate, type TemplateNode } from "./parse.ts";
import { TEXT } from "./text-functions.ts";
import { DATA } from "./value-functions.ts";
import { isTruthy, printed } from "./values.ts";

/** Variables of a block and its enclosing blocks. */
class Scope {
  readonly #own = new Map<string, Loose>();
  constructor(readonly outer?: Scope) {}

  get(name: string): Loose {
    if (this.#own.has(name)) return this.#own.get(name);
    if (!this.outer) throw new Error(`undefined variable: ${name}`);
    return this.outer.get(name);
  }

  declare(name: string, value: Loose): void {
    this.#own.set(name, value);
  }

  assign(name: string, value: Loose): void {
    if (this.#own.has(name)) this.#own.set(name, value);
    else this.outer?.assign(name, value);
  }
}

/** Go's output for nil; Helm removes it from the rendered text. */
const NO_VALUE = "<no value>";

/** An error raised by the chart, and its position; an included template reports the position of the include. */
class Failure extends Error {
  place = "";
}

/** Thrown by `break` and `continue` to leave a body. */
class Leave {
  constructor(readonly how: "break" | "continue") {}
}

/** The templates of a chart: each can use the definitions of all. */
export class Templates {
  readonly #defined = new Map<string, TemplateNode[]>();
  readonly #files = new Map<string, Parsed>();

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, source] of Object.entries(files)) {
      const parsed = located(name, () => parseTemplate(source));
      this.#files.set(name, parsed);
      for (const [defined, nodes] of parsed.defined) this.#defined.set(defined, nodes);
    }
  }

  render(file: string, root: Loose): string {
    const parsed = this.#files.get(file);
    if (!parsed) throw new Error(`no template ${file}`);
    return located(file, () => this.#run(parsed.body, root, rootScope(root))).replaceAll(NO_VALUE, "");
  }

  #include(name: string, dot: Loose): string {
    const nodes = this.#defined.get(name);
    if (!nodes)
      throw new Error(`error calling include: template: no template ${JSON.stringify(name)} associated with template "gotpl"`);
    return this.#run(nodes, dot, rootScope(dot));
  }

  #tpl(source: string, dot: Loose): string {
    const parsed = parseTemplate(printed(source));
    for (const [defined, nodes] of parsed.defined) this.#defined.set(defined, nodes);
    return this.#run(parsed.body, dot, rootScope(dot));
  }

  #run(nodes: readonly TemplateNode[], dot: Loose, scope: Scope): string {
    const out: string[] = [];
    this.#write(nodes, dot, scope, out);
    return out.join("");
  }

  #write(nodes: readonly TemplateNode[], dot: Loose, scope: Scope, out: string[]): void {
    for (const node of nodes) {
      switch (node.is) {
        case "text":
          out.push(node.text);
          break;
        case "print": {
          const value = this.#pipeline(node.pipeline, dot, scope);
          if (node.pipeline.declares.length === 0) out.push(value === undefined || value === null ? NO_VALUE : printed(value));
          break;
        }
        case "template":
          out.push(this.#include(node.name, node.pipeline ? this.#pipeline(node.pipeline, dot, scope) : undefined));
          break;
        case "range":
          this.#range(node, dot, scope, out);
          break;
        case "if":
        case "with": {
          const inner = new Scope(scope);
          const value = this.#pipeline(node.pipeline, dot, inner);
          if (isTruthy(value)) this.#write(node.body, node.is === "with" ? value : dot, inner, out);
          else this.#write(node.otherwise, dot, inner, out);
          break;
        }
        default:
          throw new Leave(node.is);
      }
    }
  }

  #range(node: Extract<TemplateNode, { is: "if" | "with" | "range" }>, dot: Loose, scope: Scope, out: string[]) {
    const { declares } = node.pipeline;
    const value = this.#pipeline({ ...node.pipeline, declares: [] }, dot, scope);
    const entries = entriesOf(value);
    if (entries.length === 0) return this.#write(node.otherwise, dot, new Scope(scope), out);
    for (const [key, item] of entries) {
      const inner = new Scope(scope);
      const [first, second] = declares;
      if (second !== undefined) inner.declare(second, item);
      if (first !== undefined) inner.declare(first, second === undefined ? item : key);
      try {
        this.#write(node.body, item, inner, out);
      } catch (leave) {
        if (!(leave instanceof Leave)) throw leave;
        if (leave.how === "break") return;
      }
    }
  }

  #pipeline(pipeline: Pipeline, dot: Loose, scope: Scope): Loose {
    let value: Loose;
    for (const [at, command] of pipeline.commands.entries()) {
      value = this.#command(command, dot, scope, at === 0 ? [] : [value]);
    }
    for (const name of pipeline.declares) {
      if (pipeline.assigns) scope.assign(name, value);
      else scope.declare(name, value);
    }
    return value;
  }

  #command([first, ...rest]: readonly Expression[], dot: Loose, scope: Scope, piped: Loose[]): Loose {
    if (!first) throw new Error("missing value for command");
    if (first.is === "function") return this.#call(first, rest, dot, scope, piped);
    const value = this.#value(first, dot, scope);
    // `.Files.Get "x"` and `.Capabilities.APIVersions.Has "x"` are methods.
    if (typeof value === "function") return value(...rest.map((argument) => this.#value(argument, dot, scope)), ...piped);
    if (rest.length > 0 || piped.length > 0) throw new Error("can't give argument to non-function");
    return value;
  }

  #call(
    { name, place }: Extract<Expression, { is: "function" }>,
    rest: readonly Expression[],
    dot: Loose,
    scope: Scope,
    piped: Loose[],
  ): Loose {
    if (name === "and" || name === "or") return this.#shortCircuit(name, rest, dot, scope, piped);
    const args = [...rest.map((argument) => this.#value(argument, dot, scope)), ...piped];
    try {
      return this.#function(name, args);
    } catch (error) {
      if (error instanceof Failure) error.place = place;
      throw error;
    }
  }

  #function(name: string, args: Loose[]): Loose {
    if (name === "include") return this.#include(args[0], args[1]);
    if (name === "tpl") return this.#tpl(args[0], args[1]);
    // The result without a cluster, as in `helm template`.
    if (name === "lookup") return {};
    const found = (Object.hasOwn(TEXT, name) ? TEXT[name] : undefined) ?? (Object.hasOwn(DATA, name) ? DATA[name] : undefined);
    if (!found) throw new Error(`function ${JSON.stringify(name)} not defined`);
    try {
      return found(...args);
    } catch (error) {
      const message = messageOf(error);
      throw name === "fail" || name === "required" ? new Failure(message) : new Error(`error calling ${name}: ${message}`);
    }
  }

  #shortCircuit(name: "and" | "or", rest: readonly Expression[], dot: Loose, scope: Scope, piped: Loose[]): Loose {
    let value: Loose;
    for (const argument of rest) {
      value = this.#value(argument, dot, scope);
      if (isTruthy(value) === (name === "or")) return value;
    }
    return piped.length > 0 ? piped[0] : value;
  }

  #value(expression: Expression, dot: Loose, scope: Scope): Loose {
    switch (expression.is) {
      case "value":
        return expression.value;
      case "dot":
        return dot;
      case "variable":
        return scope.get(expression.name);
      case "function":
        return this.#call(expression, [], dot, scope, []);
      case "pipeline":
        return this.#pipeline(expression.pipeline, dot, new Scope(scope));
      case "field":
        return fieldOf(this.#value(expression.of, dot, scope), expression.name);
    }
  }
}

function fieldOf(value: Loose, name: string): Loose {
  if (value === undefined || value === null) throw new Error(`nil pointer evaluating interface {}.${name}`);
  if (typeof value !== "object") throw new Error(`can't evaluate field ${name} in type ${typeof value}`);
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function entriesOf(value: Loose): [Loose, Loose][] {
  if (Array.isArray(value)) return value.map((item, at) => [at, item]);
  if (typeof value === "number") return Array.from({ length: value }, (_, at) => [at, at]);
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value)
    .sort()
    .map((key) => [key, value[key]]);
}

function rootScope(dot: Loose): Scope {
  const scope = new Scope();
  scope.declare("$", dot);
  return scope;
}

function located<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw new Error(`execution error at (${file}:${error.place}): ${error.message}`);
    const message = messageOf(error);
    throw message.startsWith("template: ") ? error : new Error(`template: ${file}: ${message}`);
  }
}
