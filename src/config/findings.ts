import { type TalosmithError, userError, type Where } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { drawFrame, printable } from "@talosmith/lib/yaml/frame.ts";
import { type Place, position } from "@talosmith/lib/yaml/source.ts";
import type { Warning } from "./config.ts";
import { hideTokens, type SecretPlaces } from "./secrets.ts";

export type ProblemCode =
  /** The file is missing or unreadable. */
  | "CONFIG_FILE"
  | "CONFIG_SYNTAX"
  | "CONFIG_EXTENDS"
  | "CONFIG_REFERENCE"
  | "CONFIG_UNKNOWN_KEY"
  | "CONFIG_MISSING_KEY"
  /** An invalid value. */
  | "CONFIG_VALUE"
  /** Values that do not fit together. */
  | "CONFIG_CONFLICT"
  | "CONFIG_NOT_YET";

export interface Problem {
  code: ProblemCode;
  at: Place;
  message: string;
  hint: string;
  /** A few words behind the marker in the code frame. */
  remark?: string;
}

/** More than anyone reads at once. */
const MOST = 100;

/** The problems and warnings of a config, collected and then reported together, without secrets. */
export class Findings {
  readonly problems: Problem[] = [];
  readonly warned: Problem[] = [];
  /** Replaces key names with those of the file's format. */
  rename: (text: string) => string = (text) => text;

  constructor(
    readonly file: string,
    readonly secretPlaces: SecretPlaces,
    readonly redactor: Redactor,
  ) {}

  /** One by one, because a hostile file can have more problems than a call may have arguments. */
  add(found: Iterable<Problem>): void {
    for (const problem of found) this.problems.push(problem);
  }

  where(at: Place, remark?: string): Where {
    const frame = drawFrame(at, remark === undefined ? undefined : this.rename(remark), this.secretPlaces.mask);
    return { file: at.source.file, ...position(at.source, at.start), frame: this.redactor.text(frame) };
  }

  /** The error with all problems. */
  error(): TalosmithError {
    const problems = this.#inOrder(this.problems);
    const shown = problems.slice(0, MOST);
    const [first, ...more] = new Set(problems.map(({ at }) => at.source.file));
    return userError("CONFIG_INVALID", {
      message: `${first !== undefined && more.length === 0 ? first : this.file} has ${problems.length} problem${problems.length === 1 ? "" : "s"}`,
      ...(problems.length > MOST && { detail: `the first ${MOST} are shown` }),
      hint: "fix the file and run the same command again: nothing was contacted or changed",
      problems: shown.map((problem) =>
        userError(problem.code, {
          message: this.#clean(problem.message),
          hint: this.#cleanLines(problem.hint),
          where: this.where(problem.at, problem.remark),
        }),
      ),
    });
  }

  warnings(): Warning[] {
    return this.#inOrder(this.warned).map((warning) => ({
      message: this.#clean(warning.message),
      hint: this.#cleanLines(warning.hint),
      where: this.where(warning.at, warning.remark),
    }));
  }

  #clean(text: string): string {
    return printable(this.redactor.text(hideTokens(this.rename(text))));
  }

  /** Hints may hold commands on lines of their own. */
  #cleanLines(text: string): string {
    return text
      .split("\n")
      .map((row) => this.#clean(row))
      .join("\n");
  }

  /** Sorts: the file itself first, then the files it extends, each from top to bottom, without duplicates. */
  #inOrder(found: readonly Problem[]): Problem[] {
    const once = new Map(found.map((one) => [`${one.at.source.file}\0${one.at.start}\0${one.message}`, one]));
    const rank = ({ at }: Problem) => (at.source.file === this.file ? "" : at.source.file);
    return [...once.values()].sort((a, b) => compare(rank(a), rank(b)) || a.at.start - b.at.start);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
