import { setMaxListeners } from "node:events";
import { BUILTINS, type Inside, type Job, type Own } from "./builtins.ts";
import { Exit, Jump } from "./control.ts";
import { expandFields, expandPattern, expandText, type Scope } from "./expand.ts";
import { parse } from "./parser.ts";
import { matches } from "./pattern.ts";
import {
  copiedOwn,
  type Descriptors,
  environmentOf,
  freshOwn,
  type Ground,
  type Process,
  retained,
  signalCode,
  standardOf,
  unlessKilled,
} from "./process.ts";
import { applyRedirects } from "./redirects.ts";
import { BrokenPipe, FileProblem, fromBytes, intoBytes, Killed, newPipe, type OpenFile } from "./streams.ts";
import type { AndOr, Command, List, Pipeline, Redirect, SimpleCommand } from "./syntax.ts";
import { SyntaxProblem } from "./syntax.ts";

const NOT_FOUND = 127;
/** The number of a shell; nobody of the lab needs another one. */
const PROCESS = "870";

export class Shell {
  readonly #ground: Ground;
  readonly #own: Own;
  readonly #fds: Descriptors;
  readonly #alive: AbortSignal;
  readonly #jobs: Job[] = [];
  #status = 0;
  #lastJob = "";
  /** How deep in tests whose failure is an answer. */
  #asking = 0;
  #jobCount = { next: 1000 };

  constructor(ground: Ground, own: Own, fds: Descriptors, alive: AbortSignal) {
    this.#ground = ground;
    this.#own = own;
    this.#fds = fds;
    this.#alive = alive;
  }

  /** The whole of a text, as `-c` runs it. All its descriptors are let go of at the end. */
  async run(source: string): Promise<number> {
    return this.#toItsEnd(() => this.#list(parse(source)));
  }

  async #toItsEnd(work: () => Promise<number>): Promise<number> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Exit) return error.code;
      if (error instanceof Jump) return this.#status;
      const signal = signalCode(error);
      if (signal !== undefined) return signal;
      if (!(error instanceof SyntaxProblem)) throw error;
      await this.#complain(1, error.message).catch(() => {});
      return 2;
    } finally {
      for (const file of this.#fds.values()) file.release();
    }
  }

  #copy(fds: Descriptors = this.#fds, alive: AbortSignal = this.#alive): Shell {
    const copy = new Shell(this.#ground, copiedOwn(this.#own), retained(fds), alive);
    copy.#status = this.#status;
    copy.#asking = this.#asking;
    copy.#jobCount = this.#jobCount;
    return copy;
  }

  async #list(list: List): Promise<number> {
    for (const andOr of list) {
      if (this.#alive.aborted) throw new Killed();
      if (andOr.background) this.#start(andOr);
      else await this.#andOr(andOr);
    }
    return this.#status;
  }

  #start(andOr: AndOr): void {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const end = () => stop.abort();
    if (this.#alive.aborted) end();
    this.#alive.addEventListener("abort", end, { once: true });
    const fds = new Map(this.#fds);
    // A job has nothing to read unless it is told what.
    const nothing = fromBytes(Buffer.alloc(0));
    fds.set(0, nothing);
    const copy = this.#copy(fds, stop.signal);
    nothing.release();
    const ended = copy.#toItsEnd(() => copy.#andOr(andOr)).catch(() => NOT_FOUND);
    const id = this.#jobCount.next++;
    this.#jobs.push({ id, ended, stop });
    this.#lastJob = String(id);
    this.#status = 0;
  }

  async #andOr({ first, rest }: AndOr): Promise<number> {
    await this.#asked(rest.length > 0, () => this.#pipeline(first));
    for (const [index, { after, pipeline }] of rest.entries()) {
      if (after === "&&" ? this.#status !== 0 : this.#status === 0) continue;
      await this.#asked(index < rest.length - 1, () => this.#pipeline(pipeline));
      if (index === rest.length - 1) this.#stopAtFailure(pipeline);
    }
    if (rest.length === 0) this.#stopAtFailure(first);
    return this.#status;
  }

  #stopAtFailure({ negated }: Pipeline): void {
    if (this.#own.options.has("e") && this.#asking === 0 && !negated && this.#status !== 0) throw new Exit(this.#status);
  }

  async #asked<T>(asking: boolean, work: () => Promise<T>): Promise<T> {
    if (asking) this.#asking++;
    try {
      return await work();
    } finally {
      if (asking) this.#asking--;
    }
  }

  async #pipeline({ negated, commands }: Pipeline): Promise<number> {
    const [only] = commands;
    const run = () => (commands.length === 1 && only ? this.#command(only) : this.#joined(commands));
    const code = await this.#asked(negated, run);
    this.#status = negated ? Number(code === 0) : code;
    return this.#status;
  }

  async #joined(commands: readonly Command[]): Promise<number> {
    const running: Promise<number>[] = [];
    let before: OpenFile | undefined;
    for (const [index, command] of commands.entries()) {
      const fds = new Map(this.#fds);
      if (before) fds.set(0, before);
      const pipe = index < commands.length - 1 ? newPipe(this.#ground.alive) : undefined;
      const [reader, writer] = [pipe?.reader(), pipe?.writer()];
      if (writer) fds.set(1, writer);
      const copy = this.#copy(fds);
      before?.release();
      writer?.release();
      before = reader;
      running.push(copy.#toItsEnd(() => copy.#command(command)));
    }
    const codes = await Promise.all(running);
    const failed = this.#own.options.has("pipefail") ? codes.findLast((code) => code !== 0) : undefined;
    return failed ?? codes.at(-1) ?? 0;
  }

  async #command(command: Command): Promise<number> {
    if (command.is === "simple") return this.#simple(command, command.redirects);
    if (command.is === "function") {
      this.#own.functions.set(command.name, command.body);
      return this.#ended(0);
    }
    return this.#redirected(command.redirects, 1, async () => this.#ended(await this.#compound(command)));
  }

  #ended(code: number): number {
    this.#status = code;
    return code;
  }

  async #compound(command: Exclude<Command, { is: "simple" | "function" }>): Promise<number> {
    switch (command.is) {
      case "group":
        return this.#list(command.body);
      case "subshell": {
        const copy = this.#copy();
        return copy.#toItsEnd(() => copy.#list(command.body));
      }
      case "if":
        for (const { test, body } of command.branches) {
          if ((await this.#asked(true, () => this.#list(test))) === 0) return this.#list(body);
        }
        this.#status = 0;
        return command.otherwise ? this.#list(command.otherwise) : 0;
      case "loop":
        return this.#looped(async () => {
          const code = await this.#asked(true, () => this.#list(command.test));
          if ((code === 0) === command.until) return false;
          await this.#list(command.body);
          return true;
        });
      case "for": {
        const values = command.words ? await expandFields(this.#scope(), command.words) : [...this.#own.positional];
        return this.#looped(async () => {
          const value = values.shift();
          if (value === undefined) return false;
          this.#own.variables.set(command.name, value);
          await this.#list(command.body);
          return true;
        });
      }
      case "case": {
        const text = await expandText(this.#scope(), command.word);
        for (const { patterns, body } of command.arms)
          for (const pattern of patterns)
            if (matches(await expandPattern(this.#scope(), pattern), text)) return body.length > 0 ? this.#list(body) : 0;
        return 0;
      }
    }
  }

  /** `once` is false when it is over. */
  async #looped(once: () => Promise<boolean>): Promise<number> {
    let code = 0;
    for (;;) {
      if (this.#alive.aborted) throw new Killed();
      try {
        if (!(await once())) return code;
        code = this.#status;
      } catch (error) {
        if (!(error instanceof Jump) || error.kind === "return") throw error;
        if (--error.count > 0) throw error;
        if (error.kind === "break") return 0;
      }
    }
  }

  async #simple(command: SimpleCommand, redirects: readonly Redirect[]): Promise<number> {
    const scope = this.#scope();
    this.#substituted = undefined;
    const words = await expandFields(scope, command.words);
    const [name, ...args] = words;
    const given: [string, string][] = [];
    for (const { name: variable, value } of command.assignments) given.push([variable, await expandText(scope, value)]);
    if (name === undefined || name === "exec") {
      for (const [variable, value] of given) this.#own.variables.set(variable, value);
      if (name === "exec" && args.length === 0) return this.#keepRedirects(redirects, command.line);
      if (name === undefined) return this.#redirected(redirects, command.line, async () => this.#ended(this.#substituted ?? 0));
    }
    return this.#redirected(redirects, command.line, async () => {
      const code = await this.#call(name, args, given, command.line);
      if (name === "exec") throw new Exit(code);
      return this.#ended(code);
    });
  }

  /** The status of the last command that was run for its words: of an assignment alone it is the status. */
  #substituted: number | undefined;

  async #call(name: string, args: readonly string[], given: readonly [string, string][], line: number): Promise<number> {
    const body = this.#own.functions.get(name);
    if (body) return this.#function(body, args);
    const builtin = name === "command" && !args[0]?.startsWith("-") ? undefined : BUILTINS[name];
    if (builtin) {
      const before = given.map(([variable]) => [variable, this.#own.variables.get(variable)] as const);
      for (const [variable, value] of given) this.#own.variables.set(variable, value);
      try {
        return await builtin(this.#inside(), args);
      } finally {
        for (const [variable, value] of before)
          if (value === undefined) this.#own.variables.delete(variable);
          else this.#own.variables.set(variable, value);
      }
    }
    const words = name === "command" || name === "exec" ? args : [name, ...args];
    return this.exec(words, new Map([...environmentOf(this.#own), ...given]), this.#fds, this.#alive, line);
  }

  async #function(body: Command, args: readonly string[]): Promise<number> {
    const before = this.#own.positional;
    this.#own.positional = args;
    try {
      return await this.#command(body);
    } catch (error) {
      if (error instanceof Jump && error.kind === "return") return error.count;
      throw error;
    } finally {
      this.#own.positional = before;
    }
  }

  /** A program in a process of its own. */
  async exec(
    words: readonly string[],
    environment: ReadonlyMap<string, string>,
    fds: Descriptors,
    alive: AbortSignal,
    line = 1,
  ): Promise<number> {
    const [name = "", ...args] = words;
    const builtin = this.#ground.has(name) ? undefined : BUILTINS[name];
    if (builtin) return builtin(this.#inside(), args);
    if (!this.#ground.has(name)) {
      await this.#complain(line, `${name}: ${this.#own.name === "bash" ? "command not found" : "not found"}`);
      return NOT_FOUND;
    }
    const held = retained(fds);
    const process: Process = {
      args,
      environment,
      ...standardOf(held),
      alive,
      exec: (inner, signal = alive) => this.exec(inner, environment, held, signal, line),
      script: (source, positional, zero = /(?:^|\/)(?:ba|da)?sh$/.test(name) ? name : "sh") => {
        const own = { ...freshOwn(environment, /bash$/.test(name) ? "bash" : "sh"), positional, zero };
        return new Shell(this.#ground, own, retained(held), alive).run(source);
      },
    };
    try {
      return await unlessKilled(alive, this.#ground.start(name, process));
    } catch (error) {
      if (error instanceof BrokenPipe) return signalCode(error) ?? 1;
      if (!(error instanceof FileProblem)) throw error;
      await this.#complain(line, `${name}: ${error.message}`);
      return 1;
    } finally {
      for (const file of held.values()) file.release();
    }
  }

  async #redirected(redirects: readonly Redirect[], line: number, work: () => Promise<number>): Promise<number> {
    const before = new Map(this.#fds);
    for (const file of before.values()) file.retain();
    try {
      const problem = await this.#apply(redirects);
      if (problem !== undefined) {
        await this.#complain(line, problem);
        return this.#ended(1);
      }
      return await work();
    } finally {
      for (const file of this.#fds.values()) file.release();
      this.#fds.clear();
      for (const [fd, file] of before) this.#fds.set(fd, file);
    }
  }

  async #keepRedirects(redirects: readonly Redirect[], line: number): Promise<number> {
    const problem = await this.#apply(redirects);
    if (problem === undefined) return this.#ended(0);
    await this.#complain(line, problem);
    throw new Exit(1);
  }

  #apply(redirects: readonly Redirect[]): Promise<string | undefined> {
    return applyRedirects(redirects, this.#fds, this.#scope(), (path, how) =>
      unlessKilled(this.#alive, this.#ground.open(path, how)),
    );
  }

  async #complain(line: number, what: string): Promise<void> {
    const { name, zero } = this.#own;
    const where = name === "bash" ? `${zero}: line ${line}` : `${zero}: ${line}`;
    await this.#fds.get(2)?.write(Buffer.from(`${where}: ${what}\n`));
  }

  #special(name: string): string | undefined {
    const { variables, positional } = this.#own;
    const known: Record<string, string> = {
      ...{ "?": String(this.#status), "#": String(positional.length), $: PROCESS, "!": this.#lastJob, "0": this.#own.zero },
    };
    return known[name] ?? (/^\d+$/.test(name) ? positional[Number(name) - 1] : variables.get(name));
  }

  #scope(): Scope {
    return {
      value: (name) => this.#special(name),
      missing: (name) => {
        if (this.#own.options.has("u")) throw new SyntaxProblem(`${name}: unbound variable`);
        return "";
      },
      assign: (name, value) => this.#own.variables.set(name, value),
      positional: () => this.#own.positional,
      output: async (body) => {
        const into = intoBytes();
        const fds = new Map(this.#fds);
        fds.set(1, into.file);
        const copy = this.#copy(fds);
        this.#substituted = await copy.#toItsEnd(() => copy.#list(body));
        return into.bytes().toString("utf8").replaceAll("\0", "").replace(/\n+$/, "");
      },
      paths: (pattern) => this.#ground.paths(pattern),
    };
  }

  #inside(): Inside {
    return {
      own: this.#own,
      jobs: this.#jobs,
      status: this.#status,
      file: (fd) => this.#fds.get(fd),
      has: (program) => this.#has(program),
      evaluate: (source) => this.#list(parse(source)),
      awaited: (job) => unlessKilled(this.#alive, job),
    };
  }

  #has(name: string): boolean {
    return BUILTINS[name] !== undefined || this.#own.functions.has(name) || this.#ground.has(name);
  }
}
