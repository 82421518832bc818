import { posix } from "node:path";
import { clean, namesIn, nodeAt, realPath } from "../system/files.ts";
import type { View } from "../system/host.ts";
import { treeOf } from "../system/tree.ts";
import { complain, optionsOf, type Program, print, type Started } from "./program.ts";

export const ls: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  let code = 0;
  const shown: string[] = [];
  for (const path of rest.length > 0 ? rest : ["/root"]) {
    const found = started.host.look((view) => {
      const node = nodeAt(view, path);
      const link = treeOf(view).links.get(clean(path));
      if (!node && link === undefined) return undefined;
      const isFolder = node?.is === "folder" && !given.has("d");
      const names = isFolder ? namesIn(view, path) : [path];
      return names.map((name) => (given.has("l") ? long(view, isFolder ? posix.join(clean(path), name) : path, name) : name));
    });
    if (found) shown.push(...(given.has("l") && rest.length <= 1 ? ["total 0", ...found] : found));
    else code = await complain(started, `ls: cannot access '${path}': No such file or directory`, 2);
  }
  await print(started, shown.map((line) => `${line}\n`).join(""));
  return code;
};

function long(view: View, path: string, name: string): string {
  const tree = treeOf(view);
  const target = tree.links.get(clean(path));
  const node = nodeAt(view, path);
  const kind =
    target === undefined ? { folder: "d", device: "b", character: "c", fifo: "p", file: "-" }[node?.is ?? "file"] : "l";
  const size = node?.is === "file" ? node.content.length : 0;
  return `${kind}${target === undefined ? "rw-r--r--" : "rwxrwxrwx"} 1 root root ${size} Jan  1 00:00 ${name}${target === undefined ? "" : ` -> ${target}`}`;
}

export const mkdir: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["m"]);
  for (const path of rest) {
    const exists = started.host.look((view) => {
      if (nodeAt(view, path)) return true;
      view.linux.folders.push(clean(path));
      return false;
    });
    if (exists && !given.has("p")) return complain(started, `mkdir: cannot create directory ‘${path}’: File exists`);
  }
  return 0;
};

export const mkfifo: Program = async (started) => {
  for (const path of optionsOf(started.args, ["m"]).rest) {
    const exists = started.host.look((view) => {
      if (nodeAt(view, path)) return true;
      view.linux.fifos.push(clean(path));
      return false;
    });
    if (exists) return complain(started, `mkfifo: cannot create fifo '${path}': File exists`);
  }
  return 0;
};

export const mktemp: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["p", "t"]);
  const name = (rest[0] ?? "/tmp/tmp.XXXXXXXXXX").replace(/X+$/, (marks) =>
    started.host.lab.serial("rescue temporary").toString(36).padStart(marks.length, "t"),
  );
  const path = name.startsWith("/") ? name : posix.join(given.get("p") ?? "/tmp", name);
  started.host.look(({ linux }) => {
    if (given.has("d")) linux.folders.push(path);
    else linux.files[path] = "";
  });
  return print(started, `${path}\n`);
};

export const rm: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  const [force, deep] = [given.has("f"), given.has("r") || given.has("R")];
  for (const path of rest) {
    const at = clean(path);
    const problem = started.host.look((view) => {
      const node = nodeAt(view, path);
      if (!node) return force ? undefined : "No such file or directory";
      if (node.is === "folder" && !deep) return "Is a directory";
      return remove(view, at) ? undefined : "Operation not permitted";
    });
    if (problem !== undefined) return complain(started, `rm: cannot remove '${path}': ${problem}`);
    for (const fifo of started.host.fifos.keys()) if (fifo === at || fifo.startsWith(`${at}/`)) started.host.fifos.delete(fifo);
  }
  return 0;
};

function remove({ linux }: View, at: string): boolean {
  const stays = (path: string) => path !== at && !path.startsWith(`${at}/`);
  const before = Object.keys(linux.files).length + linux.folders.length + linux.fifos.length;
  linux.files = Object.fromEntries(Object.entries(linux.files).filter(([path]) => stays(path)));
  linux.folders = linux.folders.filter(stays);
  linux.fifos = linux.fifos.filter(stays);
  return Object.keys(linux.files).length + linux.folders.length + linux.fifos.length < before;
}

export const touch: Program = async (started) => {
  for (const path of optionsOf(started.args).rest)
    started.host.look((view) => {
      if (!nodeAt(view, path)) view.linux.files[clean(path)] = "";
    });
  return 0;
};

/** Every file is root's: modes are taken note of by nobody. */
export const chmod: Program = () => 0;

export const readlink: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  for (const path of rest) {
    const found = started.host.look((view) => {
      const tree = treeOf(view);
      const target = tree.links.get(clean(path));
      return given.has("f")
        ? target?.startsWith("..")
          ? posix.join(posix.dirname(clean(path)), target)
          : realPath(tree, path)
        : target;
    });
    if (found === undefined) return 1;
    await print(started, `${found}\n`);
  }
  return 0;
};

export const basename: Program = (started) => print(started, `${posix.basename(started.args[0] ?? "", started.args[1])}\n`);
export const dirname: Program = (started) => print(started, `${posix.dirname(started.args[0] ?? "")}\n`);

/** `test`, and `[` with its bracket. */
export const test: Program = (started) => {
  const args = started.args.at(-1) === "]" ? started.args.slice(0, -1) : started.args;
  return holds(started, args) ? 0 : 1;
};

function holds(started: Started, args: readonly string[]): boolean {
  const or = args.indexOf("-o");
  if (or > 0) return holds(started, args.slice(0, or)) || holds(started, args.slice(or + 1));
  const and = args.indexOf("-a");
  if (and > 0) return holds(started, args.slice(0, and)) && holds(started, args.slice(and + 1));
  const [first = "", second = "", third = ""] = args;
  if (args.length === 0) return false;
  if (first === "!" && args.length > 1) return !holds(started, args.slice(1));
  if (args.length === 1) return first !== "";
  if (args.length === 3) return compared(first, second, third);
  if (first === "-n") return second !== "";
  if (first === "-z") return second === "";
  return isSuch(started, first, second);
}

function isSuch({ host }: Started, kind: string, path: string): boolean {
  return host.look((view) => {
    const node = nodeAt(view, path);
    switch (kind) {
      case "-b":
        return node?.is === "device";
      case "-c":
        return node?.is === "character";
      case "-d":
        return node?.is === "folder";
      case "-f":
        return node?.is === "file";
      case "-p":
        return node?.is === "fifo";
      case "-h":
      case "-L":
        return treeOf(view).links.has(clean(path));
      case "-s":
        return node !== undefined && (node.is !== "file" || node.content.length > 0);
      case "-x":
        return node?.is === "folder";
      default:
        return node !== undefined;
    }
  });
}

function compared(one: string, how: string, other: string): boolean {
  const [a, b] = [Number(one), Number(other)];
  const kinds: Record<string, boolean> = {
    ...{ "=": one === other, "==": one === other, "!=": one !== other },
    ...{ "-eq": a === b, "-ne": a !== b, "-gt": a > b, "-ge": a >= b, "-lt": a < b, "-le": a <= b },
  };
  return kinds[how] ?? false;
}
