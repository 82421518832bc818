import { posix } from "node:path";
import { linkAt } from "../drivers.ts";
import { isFolder, kindAt, makeFolder, namesIn, readBytes, removeFile, whyNotWritten, writeFile } from "../files.ts";
import { done, type Ended, failed, look, type Program, printed, type Started } from "./program.ts";

/** The arguments that are no options: as they are given, and from the folder that the program is in. */
function paths({ args, folder }: Started): { given: string; at: string }[] {
  return args.filter((arg) => !arg.startsWith("-")).map((given) => ({ given, at: posix.resolve(folder, given) }));
}

export const ls: Program = (started) => {
  const asked = paths(started);
  return look(started, (view) => {
    const lines: string[] = [];
    for (const { given, at } of asked.length > 0 ? asked : [{ given: ".", at: started.folder }]) {
      if (isFolder(view, at)) lines.push(...namesIn(view, at));
      else if (kindAt(view, at)) lines.push(given);
      else return failed(2, `ls: cannot access '${given}': No such file or directory\n`);
    }
    return printed(lines.map((line) => `${line}\n`).join(""));
  });
};

export const mkdir: Program = (started) =>
  look(started, (view) => {
    for (const { given, at } of paths(started)) {
      if (!started.args.includes("-p")) {
        if (isFolder(view, at)) return failed(1, `mkdir: cannot create directory ‘${given}’: File exists\n`);
        if (!isFolder(view, posix.dirname(at)))
          return failed(1, `mkdir: cannot create directory ‘${given}’: No such file or directory\n`);
      }
      makeFolder(view, at);
    }
    return done;
  });

export const rm: Program = (started) =>
  look(started, (view) => {
    const force = started.args.some((arg) => /^-\w*f/.test(arg));
    for (const { given, at } of paths(started)) {
      if (!removeFile(view, at) && !force) return failed(1, `rm: cannot remove '${given}': No such file or directory\n`);
    }
    return done;
  });

export const mv: Program = (started) => copy(started, "mv");
export const cp: Program = (started) => copy(started, "cp");

function copy(started: Started, program: "mv" | "cp"): Ended {
  const [from, to] = paths(started);
  return look(started, (view) => {
    const bytes = from && readBytes(view, from.at);
    if (!from || !to || bytes === undefined)
      return failed(1, `${program}: cannot stat '${from?.given ?? ""}': No such file or directory\n`);
    const target = isFolder(view, to.at) ? posix.join(to.at, posix.basename(from.at)) : to.at;
    const problem = whyNotWritten(view, target);
    if (problem !== undefined)
      return failed(1, `${program}: cannot ${program === "mv" ? "move" : "create regular file"} '${target}': ${problem}\n`);
    writeFile(view, target, bytes);
    if (program === "mv" && target !== from.at) removeFile(view, from.at);
    return done;
  });
}

/** Every file is root's, so that modes make no difference. */
export const chmod: Program = (started) => {
  const [, ...changed] = paths(started);
  const missing = look(started, (view) => changed.find(({ at }) => !kindAt(view, at)));
  return missing === undefined ? done : failed(1, `chmod: cannot access '${missing.given}': No such file or directory\n`);
};

export const readlink: Program = (started) => {
  const [path] = paths(started);
  const target = path && look(started, (view) => linkAt(view, path.at));
  return target === undefined ? failed(1, "") : printed(`${target}\n`);
};
