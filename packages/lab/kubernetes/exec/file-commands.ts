import { posix } from "node:path";
import { MISSING } from "../../shell/dialect.ts";
import { complain, print } from "../../shell/programs/program.ts";
import { FileProblem } from "../../shell/streams.ts";
import { absolute, type Command, operandsOf, type Started } from "./invocation.ts";

/** The commands that look at the files of a container or change them, besides those that every machine has. */
export const FILE_COMMANDS: Readonly<Record<string, Command>> = {
  ls: async (run) => {
    const { flags, operands } = operandsOf(run.args);
    const { files } = run.inside;
    const shown = (path: string, name: string) => {
      if (!flags.includes("l")) return `${name}\n`;
      const size = files.read(path)?.length ?? 0;
      return `${files.isFolder(path) ? "drwxr-xr-x" : "-rw-r--r--"} 1 root root ${String(size).padStart(8)} ${name}\n`;
    };
    let text = "";
    const code = await each(run, operands.length > 0 ? operands : ["."], "ls", (path, given) => {
      if (!files.exists(path)) throw new FileProblem(MISSING);
      const isShown = (name: string) => flags.includes("a") || !name.startsWith(".");
      text += files.isFolder(path)
        ? files
            .names(path)
            .filter(isShown)
            .map((name) => shown(posix.join(path, name), name))
            .join("")
        : shown(path, given);
    });
    await print(run, text);
    return code;
  },
  mkdir: (run) => {
    const { flags, operands } = operandsOf(run.args);
    const { files } = run.inside;
    const make = (path: string): void => {
      if (flags.includes("p") && path !== "/" && !files.isFolder(posix.dirname(path))) make(posix.dirname(path));
      if (files.exists(path) && !(flags.includes("p") && files.isFolder(path))) throw new FileProblem("File exists");
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
        throw new FileProblem(MISSING);
      }
      if (files.isFolder(path) && !/[rR]/.test(flags)) throw new FileProblem("Is a directory");
      files.remove(path);
    });
  },
  touch: (run) =>
    each(run, operandsOf(run.args).operands, "touch", (path) => {
      if (!run.inside.files.exists(path)) run.inside.files.write(path, Buffer.alloc(0));
    }),
  cp: (run) => copy(run, "cp"),
  mv: async (run) => {
    const code = await copy(run, "mv");
    const [from = ""] = operandsOf(run.args).operands;
    if (code === 0) run.inside.files.remove(absolute(run, from));
    return code;
  },
};

/** Does something with each path, and complains of each that fails. */
async function each(
  run: Started,
  paths: readonly string[],
  name: string,
  work: (path: string, given: string) => void,
): Promise<number> {
  let code = 0;
  for (const given of paths) {
    try {
      work(absolute(run, given), given);
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      code = await complain(run, `${name}: ${given}: ${error.message}`);
    }
  }
  return code;
}

function copy(run: Started, name: string): Promise<number> {
  const [from = "", to = ""] = operandsOf(run.args).operands;
  const { files } = run.inside;
  return each(run, [from], name, (path) => {
    if (!files.exists(path)) throw new FileProblem(MISSING);
    const given = absolute(run, to);
    const target = files.isFolder(given) ? posix.join(given, posix.basename(path)) : given;
    for (const entry of files.tree(path)) {
      const copied = `${target}${entry.path.slice(path.length)}`;
      if (entry.content) files.write(copied, entry.content, entry.mode);
      else files.makeFolder(copied);
    }
  });
}
