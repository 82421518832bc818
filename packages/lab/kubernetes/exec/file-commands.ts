import { posix } from "node:path";
import { FileTrouble } from "./files.ts";
import { absolute, type Command, type Invocation, operandsOf, wholeOf } from "./invocation.ts";

const NOT_FOUND = "No such file or directory";

/** Commands that only read or change files. */
export const FILE_COMMANDS: Readonly<Record<string, Command>> = {
  cat: (run) => withContents(run, "cat", (content) => run.out(content)),
  head: (run) => {
    const count = countOf(run.args);
    return withContents(run, "head", (content) => run.out(`${linesOf(content).slice(0, count).join("\n")}\n`));
  },
  tail: (run) => {
    // `kubectl cp` continues an interrupted copy with `tail -c+N`.
    const from = /^-c\+(\d+)$/.exec(run.args[0] ?? "")?.[1];
    const count = countOf(run.args);
    return withContents(run, "tail", (content) =>
      run.out(from === undefined ? `${linesOf(content).slice(-count).join("\n")}\n` : content.subarray(Number(from) - 1)),
    );
  },
  wc: (run) =>
    withContents(run, "wc", (content) => {
      const counts = { l: content.filter((byte) => byte === 10).length, c: content.length };
      run.out(`${run.args.includes("-l") ? counts.l : counts.c}\n`);
    }),
  grep: async (run) => {
    const [pattern = "", ...paths] = operandsOf(run.args).operands;
    let found = false;
    const code = await withContents({ ...run, args: paths }, "grep", (content) => {
      for (const line of linesOf(content)) {
        if (!line.includes(pattern)) continue;
        found = true;
        run.out(`${line}\n`);
      }
    });
    return code !== 0 ? 2 : found ? 0 : 1;
  },
  ls: (run) => {
    const { flags, operands } = operandsOf(run.args);
    const shown = (path: string, name: string) => {
      if (!flags.includes("l")) return `${name}\n`;
      const isFolder = run.inside.files.isFolder(path);
      const size = run.inside.files.read(path)?.length ?? 0;
      return `${isFolder ? "drwxr-xr-x" : "-rw-r--r--"} 1 root root ${String(size).padStart(8)} ${name}\n`;
    };
    return each(run, operands.length > 0 ? operands : ["."], "ls", (path, given) => {
      const { files } = run.inside;
      if (!files.exists(path)) throw new FileTrouble(NOT_FOUND);
      if (!files.isFolder(path)) return run.out(shown(path, given));
      for (const name of files.names(path)) {
        if (flags.includes("a") || !name.startsWith(".")) run.out(shown(posix.join(path, name), name));
      }
    });
  },
  mkdir: (run) => {
    const { flags, operands } = operandsOf(run.args);
    const { files } = run.inside;
    const make = (path: string): void => {
      if (flags.includes("p") && path !== "/" && !files.isFolder(posix.dirname(path))) make(posix.dirname(path));
      if (files.exists(path) && !(flags.includes("p") && files.isFolder(path))) throw new FileTrouble("File exists");
      if (!files.exists(path)) files.makeFolder(path);
    };
    return each(run, operands, "mkdir", make);
  },
  rm: (run) => {
    const { flags, operands } = operandsOf(run.args);
    const { files } = run.inside;
    return each(run, operands, "rm", (path) => {
      if (!files.exists(path)) {
        if (flags.includes("f")) return;
        throw new FileTrouble(NOT_FOUND);
      }
      if (files.isFolder(path) && !/[rR]/.test(flags)) throw new FileTrouble("Is a directory");
      files.remove(path);
    });
  },
  touch: (run) =>
    each(run, operandsOf(run.args).operands, "touch", (path) => {
      if (!run.inside.files.exists(path)) run.inside.files.write(path, Buffer.alloc(0));
    }),
  cp: (run) => copy(run, "cp"),
  mv: (run) => {
    const code = copy(run, "mv");
    const [from = ""] = operandsOf(run.args).operands;
    if (code === 0) run.inside.files.remove(absolute(run.folder, from));
    return code;
  },
  test: (run) => test(run, run.args),
  "[": (run) => test(run, run.args.slice(0, -1)),
};

/** Runs an operation for each path, and reports the error of each that fails. */
function each(
  { folder, err }: Invocation,
  paths: readonly string[],
  name: string,
  work: (path: string, given: string) => void,
): number {
  let code = 0;
  for (const given of paths) {
    try {
      work(absolute(folder, given), given);
    } catch (error) {
      if (!(error instanceof FileTrouble)) throw error;
      err(`${name}: ${given}: ${error.message}\n`);
      code = 1;
    }
  }
  return code;
}

/** Reads its input when there are no paths. */
async function withContents(run: Invocation, name: string, work: (content: Buffer) => void): Promise<number> {
  const { operands } = operandsOf(run.args.filter((arg) => !/^\d+$/.test(arg)));
  if (operands.length === 0 && name === "cat") {
    for await (const part of run.stdin) run.out(part);
    return 0;
  }
  if (operands.length === 0) {
    work(await wholeOf(run.stdin));
    return 0;
  }
  return each(run, operands, name, (path) => {
    const content = run.inside.files.read(path);
    if (content === undefined) throw new FileTrouble(run.inside.files.isFolder(path) ? "Is a directory" : NOT_FOUND);
    work(content);
  });
}

function copy(run: Invocation, name: string): number {
  const [from = "", to = ""] = operandsOf(run.args).operands;
  const { files } = run.inside;
  return each(run, [from], name, (path) => {
    if (!files.exists(path)) throw new FileTrouble(NOT_FOUND);
    const given = absolute(run.folder, to);
    const target = files.isFolder(given) ? posix.join(given, posix.basename(path)) : given;
    for (const entry of files.tree(path)) {
      const copied = `${target}${entry.path.slice(path.length)}`;
      if (entry.content) files.write(copied, entry.content, entry.mode);
      else files.makeFolder(copied);
    }
  });
}

function test({ inside: { files }, folder }: Invocation, words: readonly string[]): number {
  const [first = "", second = "", third = ""] = words;
  const path = absolute(folder, second);
  const answers: Record<string, () => boolean> = {
    "-d": () => files.isFolder(path),
    "-f": () => files.read(path) !== undefined,
    "-e": () => files.exists(path),
    "-n": () => second !== "",
    "-z": () => second === "",
  };
  if (second === "=" || second === "==") return first === third ? 0 : 1;
  if (second === "!=") return first === third ? 1 : 0;
  return (answers[first] ?? (() => words.length === 1 && first !== ""))() ? 0 : 1;
}

function countOf(args: readonly string[]): number {
  const [, count] = /-n ?(\d+)|-(\d+)/.exec(args.join(" ")) ?? [];
  return Number(count ?? 10);
}

function linesOf(content: Buffer): string[] {
  return content.toString("utf8").replace(/\n$/, "").split("\n");
}
