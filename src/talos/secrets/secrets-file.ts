import { type TalosmithError, userError, type Where } from "@talosmith/lib/errors.ts";
import { excessOf } from "@talosmith/lib/yaml/tokens.ts";
import { isScalar, LineCounter, parseDocument } from "yaml";
import type { SecretsSource } from "./source.ts";

const HINT =
  "restore the file from your backup; a new one would belong to another cluster. Only if no cluster was ever created with it: delete it";

/** `secrets.yaml` while it is read: returns values by path and collects problems. Never quotes the file, which consists of secrets. */
export class SecretsFile implements SecretsSource {
  readonly #name: string;
  readonly #lines = new LineCounter();
  readonly #document;
  readonly #problems: TalosmithError[] = [];

  constructor(text: string, name: string) {
    this.#name = name;
    const excess = excessOf(text);
    if (excess) throw this.#error("The secrets bundle is not valid YAML", { file: name, line: 1, column: 1 }, excess.message);
    // Pretty errors would carry the line they point at.
    this.#document = parseDocument(text, { prettyErrors: false, lineCounter: this.#lines });
    const [error] = this.#document.errors;
    if (error) throw this.#error("The secrets bundle is not valid YAML", this.#where(error.pos[0]), error.code);
  }

  text(path: string): string | undefined {
    const value = this.optional(path);
    if (value === undefined) this.problem(path, "is missing");
    return value;
  }

  optional(path: string): string | undefined {
    const node = this.#node(path);
    // The source, not the value: a token of digits is a number to YAML and text to Talos.
    if (!isScalar(node) || node.value === null || node.value === "") return undefined;
    return typeof node.value === "string" ? node.value : node.source;
  }

  problem(path: string, what: string): void {
    const parts = path.split(".");
    let node = this.#node(path);
    while (!hasRange(node) && parts.length > 0) {
      parts.pop();
      node = this.#node(parts.join("."));
    }
    this.#problems.push(this.#error(`${path} ${what}`, this.#where(hasRange(node) ? node.range[0] : 0)));
  }

  finish(): void {
    const [first, ...more] = this.#problems;
    if (!first) return;
    if (more.length === 0) throw first;
    throw userError("SECRETS_INVALID", {
      message: `${this.#name} has ${this.#problems.length} problems`,
      hint: HINT,
      problems: this.#problems,
    });
  }

  #node(path: string): unknown {
    return this.#document.getIn(path === "" ? [] : path.split("."), true);
  }

  #error(message: string, where: Where, detail?: string): TalosmithError {
    return userError("SECRETS_INVALID", {
      message,
      hint: HINT,
      where,
      ...(detail !== undefined && { detail }),
    });
  }

  #where(offset: number): Where {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#name, line, column: col };
  }
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
}
