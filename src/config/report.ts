import { basename } from "node:path";
import { type Place, position } from "@talosmith/lib/yaml/source.ts";
import { find, locate, type Path, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Findings, ProblemCode } from "./findings.ts";

export interface Said {
  message: string;
  hint: string;
  remark?: string;
  on?: "key";
}

/** Collects the findings of checks, by the path of the value. */
export class Report {
  constructor(
    readonly tree: Tree,
    readonly findings: Findings,
  ) {}

  /** Reports a problem, by default a conflict between values. */
  problem(path: Path, said: Said, code: ProblemCode = "CONFIG_CONFLICT"): void {
    const { on, ...rest } = said;
    this.findings.problems.push({ code, at: this.#at(path, on), ...rest });
  }

  warn(path: Path, said: Said): void {
    const { on, ...rest } = said;
    this.findings.warned.push({ code: "CONFIG_CONFLICT", at: this.#at(path, on), ...rest });
  }

  /** Whether the file has a value at this path, valid or not. */
  has(path: Path): boolean {
    return find(this.tree, path) !== undefined;
  }

  /** "line 6", or "base.yaml line 6" when that is in a file this one extends. */
  line(path: Path): string {
    const at = this.#at(path);
    const { line } = position(at.source, at.start);
    return at.source.file === this.findings.file ? `line ${line}` : `${basename(at.source.file)} line ${line}`;
  }

  /** Whether one is written above the other; in files of their own, that of the environment counts as the last. */
  isBefore(a: Path, b: Path): boolean {
    const [first, second] = [this.#at(a), this.#at(b)];
    if (first.source === second.source) return first.start < second.start;
    return first.source.file !== this.findings.file;
  }

  #at(path: Path, on?: "key"): Place {
    return locate(this.tree, path, on ?? "value");
  }
}
