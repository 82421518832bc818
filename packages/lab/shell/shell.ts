import { posix } from "node:path";
import { BUILTINS, type Inside } from "./builtins.ts";
import { type Runner, runCompound } from "./compound.ts";
import { Exit, Jump } from "./control.ts";
import { expandFields, expandText, type Scope } from "./expand.ts";
import { type Job, startJob } from "./jobs.ts";
import { type Launch, launch } from "./launch.ts";
import { copiedOwn, environmentOf, freshOwn, type Own, withVariables } from "./own.ts";
import { parse } from "./parser.ts";
import { runJoined } from "./pipes.ts";
import { type Descriptors, type Ground, retained, signalCode, unlessKilled } from "./process.ts";
import { applyRedirects, withRestored } from "./redirects.ts";
import { scopeOf } from "./scope.ts";
import { intoBytes, Killed } from "./streams.ts";
import {
  type AndOr,
  type Command,
  type List,
  type Pipeline,
  type Redirect,
  type SimpleCommand,
  SyntaxProblem,
} from "./syntax.ts";

const NOT_FOUND = 127;

export class Shell {
  readonly #ground: Ground;
  readonly #own: Own;
  readonly #fds: Descriptors;
  readonly #alive: AbortSignal;
  readonly #jobs: Job[] = [];
  #jobNumbers = { next: 1000 };
  #status = 0;
  /** Exit code of the last command substitution: the status of an assignment alone. */
  #substituted: number | undefined;
  /** How many tests it is inside of, in which a failure is an answer and does not end it. */
  #testing = 0;

  constructor(ground: Ground, own: Own, fds: Descriptors, alive: AbortSignal) {
    this.#ground = ground;
    this.#own = own;
    this.#fds = fds;
    this.#alive = alive;
  }

  /** Runs a whole text, as `-c` does. All its descriptors are released at the end. */
  async run(source: string): Promise<number> {
    return this.#toItsEnd(() => this.#list(parse(source)));
  }

  /** Runs one command without reading it as a text, as a container runtime does; its builtins are no commands then. */
  async start([name = "", ...args]: readonly string[]): Promise<number> {
    return this.#toItsEnd(async () => {
      if (this.#ground.has(name)) return launch(name, args, this.#launch(environmentOf(this.#own), 1));
      await this.#fds.get(2)?.write(Buffer.from(`${this.#own.dialect.notFound(name)}\n`));
      return NOT_FOUND;
    });
  }

  /** Runs line by line what is typed, until there is no more or a line says `exit`. */
  async runLines(next: (folder: string) => Promise<string | undefined>): Promise<number> {
    return this.#toItsEnd(async () => {
      for (let line = await next(this.#own.folder); line !== undefined; line = await next(this.#own.folder)) {
        try {
          await this.#list(parse(line));
        } catch (error) {
          if (!(error instanceof SyntaxProblem)) throw error;
          await this.#complain(1, error.message);
          this.#status = 2;
        }
      }
      return this.#status;
    });
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
    copy.#testing = this.#testing;
    copy.#jobNumbers = this.#jobNumbers;
    return copy;
  }

  #subshell(body: List, fds?: Descriptors): Promise<number> {
    const copy = this.#copy(fds);
    return copy.#toItsEnd(() => copy.#list(body));
  }

  async #list(list: List): Promise<number> {
    for (const andOr of list) {
      if (this.#alive.aborted) throw new Killed();
      if (andOr.background) this.#startJob(andOr);
      else await this.#andOr(andOr);
    }
    return this.#status;
  }

  #startJob(andOr: AndOr): void {
    const job = startJob(this.#jobNumbers, this.#fds, this.#alive, (fds, alive) => {
      const copy = this.#copy(fds, alive);
      return copy.#toItsEnd(() => copy.#andOr(andOr));
    });
    this.#jobs.push(job);
    this.#status = 0;
  }

  async #andOr({ first, rest }: AndOr): Promise<number> {
    await this.#tested(rest.length > 0, () => this.#pipeline(first));
    for (const [index, { after, pipeline }] of rest.entries()) {
      if (after === "&&" ? this.#status !== 0 : this.#status === 0) continue;
      await this.#tested(index < rest.length - 1, () => this.#pipeline(pipeline));
      if (index === rest.length - 1) this.#stopAtFailure(pipeline);
    }
    if (rest.length === 0) this.#stopAtFailure(first);
    return this.#status;
  }

  #stopAtFailure({ negated }: Pipeline): void {
    if (this.#own.options.has("e") && this.#testing === 0 && !negated && this.#status !== 0) throw new Exit(this.#status);
  }

  async #tested<T>(isTest: boolean, work: () => Promise<T>): Promise<T> {
    if (isTest) this.#testing++;
    try {
      return await work();
    } finally {
      if (isTest) this.#testing--;
    }
  }

  async #pipeline({ negated, commands }: Pipeline): Promise<number> {
    const [only] = commands;
    const run = () => (commands.length === 1 && only ? this.#command(only) : this.#joined(commands));
    const code = await this.#tested(negated, run);
    return this.#ended(negated ? Number(code === 0) : code);
  }

  async #joined(commands: readonly Command[]): Promise<number> {
    const codes = await runJoined(commands, this.#fds, this.#ground.alive, (command, fds) => {
      const copy = this.#copy(fds);
      return copy.#toItsEnd(() => copy.#command(command));
    });
    const failed = this.#own.options.has("pipefail") ? codes.findLast((code) => code !== 0) : undefined;
    return failed ?? codes.at(-1) ?? 0;
  }

  async #command(command: Command): Promise<number> {
    if (command.is === "simple") return this.#simple(command, command.redirects);
    if (command.is === "function") {
      this.#own.functions.set(command.name, command.body);
      return this.#ended(0);
    }
    return this.#redirected(command.redirects, 1, async () => this.#ended(await runCompound(command, this.#runner())));
  }

  #runner(): Runner {
    return {
      own: this.#own,
      alive: this.#alive,
      scope: () => this.#scope(),
      list: (list) => this.#list(list),
      test: (list) => this.#tested(true, () => this.#list(list)),
      subshell: (list) => this.#subshell(list),
      pause: (ms) => unlessKilled(this.#alive, this.#ground.sleep(ms, this.#alive)),
    };
  }

  #ended(code: number): number {
    this.#status = code;
    return code;
  }

  async #simple(command: SimpleCommand, redirects: readonly Redirect[]): Promise<number> {
    const { line } = command;
    const scope = this.#scope();
    this.#substituted = undefined;
    const words = await expandFields(scope, command.words);
    const [name, ...args] = words;
    const given: [string, string][] = [];
    for (const { name: variable, value } of command.assignments) given.push([variable, await expandText(scope, value)]);
    if (name === undefined || name === "exec") {
      for (const [variable, value] of given) this.#own.variables.set(variable, value);
      if (name === "exec" && args.length === 0) return this.#keepRedirects(redirects, line);
      if (name === undefined) return this.#redirected(redirects, line, async () => this.#ended(this.#substituted ?? 0));
    }
    return this.#redirected(redirects, line, async () => {
      const code = await this.#call(name, args, given, line);
      if (name === "exec") throw new Exit(code);
      return this.#ended(code);
    });
  }

  async #call(name: string, args: readonly string[], given: readonly [string, string][], line: number): Promise<number> {
    const body = this.#own.functions.get(name);
    if (body) return this.#function(body, args);
    const builtin = name === "command" && !args[0]?.startsWith("-") ? undefined : BUILTINS[name];
    if (builtin) return withVariables(this.#own, given, async () => builtin(this.#inside(line), args));
    const words = name === "command" || name === "exec" ? args : [name, ...args];
    return this.#exec(words, this.#launch(new Map([...environmentOf(this.#own), ...given]), line));
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

  #launch(environment: ReadonlyMap<string, string>, line: number): Launch {
    return {
      ...{ ground: this.#ground, environment, folder: this.#own.folder, fds: this.#fds, alive: this.#alive },
      exec: (words, at) => this.#exec(words, at),
      script: (source, { shell, at, positional, zero, options = [] }) => {
        const own = freshOwn(at.environment, this.#ground.dialect(shell), at.folder);
        const started = { ...own, positional, zero: zero ?? shell, options: new Set(options) };
        return new Shell(this.#ground, started, retained(at.fds), at.alive).run(source);
      },
      complain: (what) => this.#complain(line, what),
    };
  }

  /** A program, or a builtin that another program starts. */
  async #exec(words: readonly string[], at: Launch): Promise<number> {
    const [name = "", ...args] = words;
    if (this.#ground.has(name)) return launch(name, args, at);
    const builtin = BUILTINS[name];
    if (builtin) return builtin(this.#inside(1), args);
    await at.complain(this.#own.dialect.notFound(name));
    return NOT_FOUND;
  }

  #redirected(redirects: readonly Redirect[], line: number, work: () => Promise<number>): Promise<number> {
    return withRestored(this.#fds, async () => {
      const problem = await this.#apply(redirects);
      if (problem === undefined) return work();
      await this.#complain(line, problem);
      return this.#ended(this.#own.dialect.codes.redirect);
    });
  }

  /** `exec >file`: the redirections stay. */
  async #keepRedirects(redirects: readonly Redirect[], line: number): Promise<number> {
    const problem = await this.#apply(redirects);
    if (problem === undefined) return this.#ended(0);
    await this.#complain(line, problem);
    throw new Exit(this.#own.dialect.codes.redirect);
  }

  #apply(redirects: readonly Redirect[]): Promise<string | undefined> {
    const { folder, dialect } = this.#own;
    const open: Ground["open"] = (path, how) => unlessKilled(this.#alive, this.#ground.open(posix.resolve(folder, path), how));
    return applyRedirects(redirects, this.#fds, { scope: this.#scope(), open, dialect });
  }

  async #complain(line: number, what: string): Promise<void> {
    const { dialect, zero } = this.#own;
    await this.#fds.get(2)?.write(Buffer.from(`${dialect.complaint(zero, line, what)}\n`));
  }

  #scope(): Scope {
    const now = { status: this.#status, lastJob: String(this.#jobs.at(-1)?.id ?? "") };
    return scopeOf(this.#own, now, {
      output: async (body) => {
        const into = intoBytes();
        this.#substituted = await this.#subshell(body, new Map(this.#fds).set(1, into.file));
        return into.bytes().toString("utf8").replaceAll("\0", "").replace(/\n+$/, "");
      },
      paths: (pattern) => this.#ground.paths(pattern, this.#own.folder),
    });
  }

  #inside(line: number): Inside {
    return {
      own: this.#own,
      jobs: this.#jobs,
      status: this.#status,
      file: (fd) => this.#fds.get(fd),
      has: (name) => BUILTINS[name] !== undefined || this.#own.functions.has(name) || this.#ground.has(name),
      kind: (path) => this.#ground.kind(path),
      evaluate: (source) => this.#list(parse(source)),
      complain: (what) => this.#complain(line, what),
      awaited: (job) => unlessKilled(this.#alive, job),
    };
  }
}
