import type { Lab } from "../kernel/kernel.ts";
import { matching, readFile, whyNotWritten, writeFile } from "./files.ts";
import { type Part, SyntaxProblem, type Word } from "./lexer.ts";
import { type Ended, failed, type Started } from "./programs/program.ts";
import { programs } from "./programs/programs.ts";
import { rootView } from "./root-view.ts";
import { type Pipeline, parse, type SimpleCommand } from "./syntax.ts";

const NOT_FOUND = 127;

/** What bash -c does with a line on a host of the lab, as root. */
export async function runOnHost(lab: Lab, hostName: string, commandLine: string, stdin: Input = NOTHING): Promise<Ended> {
  return new Shell(lab, hostName).run(commandLine, stdin);
}

type Input = Started["stdin"];
const NOTHING: Input = async () => "";

class Shell {
  readonly #lab: Lab;
  readonly #host: string;
  readonly #variables = new Map<string, string>([
    ["HOME", "/root"],
    ["USER", "root"],
    ["?", "0"],
  ]);
  /** set -e */
  #stopAtFailure = false;

  constructor(lab: Lab, host: string) {
    this.#lab = lab;
    this.#host = host;
  }

  async run(source: string, stdin: Input): Promise<Ended> {
    let pipelines: Pipeline[];
    try {
      pipelines = parse(source);
    } catch (error) {
      if (error instanceof SyntaxProblem) return failed(2, `bash: -c: line 1: ${error.message}\n`);
      throw error;
    }
    const all: Ended = { code: 0, stdout: "", stderr: "" };
    for (const [index, pipeline] of pipelines.entries()) {
      const skipped = pipeline.after === "&&" ? all.code !== 0 : pipeline.after === "||" ? all.code === 0 : false;
      if (skipped) continue;
      const exit = exitCode(pipeline);
      if (exit !== undefined) return { ...all, code: exit ?? all.code };
      const ended = await this.#pipeline(pipeline, stdin);
      all.stdout += ended.stdout;
      all.stderr += ended.stderr;
      all.code = pipeline.negated ? Number(ended.code === 0) : ended.code;
      this.#variables.set("?", String(all.code));
      // Whoever asks with && or || looks at the failure himself.
      const asked = pipelines[index + 1]?.after;
      if (this.#stopAtFailure && all.code !== 0 && !pipeline.negated && asked !== "&&" && asked !== "||") return all;
    }
    return all;
  }

  async #pipeline({ commands }: Pipeline, stdin: Input): Promise<Ended> {
    let ended: Ended = { code: 0, stdout: "", stderr: "" };
    let stderr = "";
    for (const [index, command] of commands.entries()) {
      const before = ended.stdout;
      ended = await this.#simple(command, index === 0 ? stdin : async () => before);
      stderr += ended.stderr;
    }
    return { ...ended, stderr };
  }

  async #simple(command: SimpleCommand, piped: Input): Promise<Ended> {
    const words: string[] = [];
    for (const word of command.words) words.push(...(await this.#expand(word)));
    const [name, ...args] = words;
    for (const { name: variable, value } of command.assignments)
      this.#variables.set(variable, (await this.#expand(value, false)).join(" "));
    let stdin = piped;
    for (const redirect of command.redirects) {
      if (redirect.is === "given") {
        const text = (await this.#expand(redirect.word, false)).join("");
        stdin = async () => text;
      }
      if (redirect.is === "read") {
        const path = (await this.#expand(redirect.from, false)).join("");
        const text = this.#look((view) => readFile(view, path));
        if (text === undefined) return failed(1, `bash: line 1: ${path}: No such file or directory\n`);
        stdin = async () => text;
      }
      if (redirect.is !== "write" && redirect.is !== "append") continue;
      // Looked at before anything runs: what has nowhere to write is not begun.
      const path = (await this.#expand(redirect.to, false)).join("");
      const problem = this.#look((view) => whyNotWritten(view, path));
      if (problem !== undefined) return failed(1, `bash: line 1: ${path}: ${problem}\n`);
    }
    const ended = name === undefined ? failed(0, "") : await this.#start(name, args, stdin);
    return this.#redirected(command, ended);
  }

  async #start(name: string, args: readonly string[], stdin: Input): Promise<Ended> {
    if (name === "set") {
      if (args.some((arg) => /^-\w*e/.test(arg))) this.#stopAtFailure = true;
      return failed(0, "");
    }
    const bare = name.replace(/^\/(?:usr\/)?s?bin\//, "");
    const program = Object.hasOwn(programs, bare) ? programs[bare] : undefined;
    if (!program) return failed(NOT_FOUND, `bash: line 1: ${name}: command not found\n`);
    const shell = (host: string, line: string, input: Input) => runOnHost(this.#lab, host, line, input);
    return program({ lab: this.#lab, host: this.#host, args, stdin, shell });
  }

  /** In the order they are written: `>f 2>&1` and `2>&1 >f` are two things. */
  async #redirected(command: SimpleCommand, ended: Ended): Promise<Ended> {
    const places: Record<1 | 2, "out" | "err" | { file: string }> = { 1: "out", 2: "err" };
    const files = new Map<string, string>();
    for (const redirect of command.redirects) {
      if (redirect.is === "join") places[redirect.from] = places[redirect.to];
      if (redirect.is !== "write" && redirect.is !== "append") continue;
      const file = (await this.#expand(redirect.to, false)).join("");
      places[redirect.from] = { file };
      const before = redirect.is === "append" ? (this.#look((view) => readFile(view, file)) ?? "") : "";
      files.set(file, before);
    }
    const result: Ended = { code: ended.code, stdout: "", stderr: "" };
    for (const [from, text] of [
      [1, ended.stdout],
      [2, ended.stderr],
    ] as const) {
      const place = places[from];
      if (place === "out") result.stdout += text;
      else if (place === "err") result.stderr += text;
      else files.set(place.file, `${files.get(place.file) ?? ""}${text}`);
    }
    for (const [file, text] of files) this.#look((view) => writeFile(view, file, text));
    return result;
  }

  #look<T>(work: (view: ReturnType<typeof rootView>) => T): T {
    return this.#lab.turn(() => work(rootView(this.#lab, this.#host)));
  }

  /** To none, one or several words; `fields` false where the shell does not split. */
  async #expand(word: Word, fields = true): Promise<string[]> {
    const found: string[] = [];
    let current: string | undefined;
    let pattern = false;
    const close = () => {
      if (current === undefined) return;
      const text = current;
      found.push(...(pattern && fields ? this.#look((view) => matching(view, text)) : [text]));
      current = undefined;
      pattern = false;
    };
    for (const part of word) {
      const text = await this.#value(part);
      if (part.is === "text" || part.quoted || !fields) {
        current = (current ?? "") + text;
        pattern ||= part.is === "text" && !part.quoted && /[*?]/.test(text);
        continue;
      }
      const pieces = text.split(/\s+/);
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) close();
        if (piece !== "") current = (current ?? "") + piece;
      }
    }
    close();
    return found;
  }

  async #value(part: Part): Promise<string> {
    if (part.is === "text") return part.text;
    if (part.is === "variable") return this.#variables.get(part.name) ?? "";
    return (await this.run(part.text, NOTHING)).stdout.replace(/\n+$/, "");
  }
}

/** Of `exit` alone or with a number; undefined for everything else. */
function exitCode({ commands }: Pipeline): number | null | undefined {
  const [first] = commands;
  const words = first?.words.map(([part]) => (part?.is === "text" ? part.text : "")) ?? [];
  if (commands.length !== 1 || words[0] !== "exit") return undefined;
  return words[1] === undefined ? null : Number(words[1]);
}
