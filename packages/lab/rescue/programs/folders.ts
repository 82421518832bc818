import { posix } from "node:path";
import { complain, optionsOf, print } from "../../shell/programs/program.ts";
import { namesIn, nodeAt, realPath } from "../system/files.ts";
import type { View } from "../system/host.ts";
import { treeOf } from "../system/tree.ts";
import { absolute, type Program } from "./program.ts";

export const ls: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  let code = 0;
  const shown: string[] = [];
  for (const path of rest.length > 0 ? rest : ["."]) {
    const at = absolute(started, path);
    const found = started.host.look((view) => {
      const node = nodeAt(view, at);
      const link = treeOf(view).links.get(at);
      if (!node && link === undefined) return undefined;
      const isFolder = node?.is === "folder" && !given.has("d");
      const names = isFolder ? namesIn(view, at) : [path];
      return names.map((name) => (given.has("l") ? long(view, isFolder ? posix.join(at, name) : at, name) : name));
    });
    if (found) shown.push(...(given.has("l") && rest.length <= 1 ? ["total 0", ...found] : found));
    else code = await complain(started, `ls: cannot access '${path}': No such file or directory`, 2);
  }
  await print(started, shown.map((line) => `${line}\n`).join(""));
  return code;
};

function long(view: View, path: string, name: string): string {
  const tree = treeOf(view);
  const target = tree.links.get(path);
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
      const at = absolute(started, path);
      if (nodeAt(view, at)) return true;
      view.linux.folders.push(at);
      return false;
    });
    if (exists && !given.has("p")) return complain(started, `mkdir: cannot create directory ‘${path}’: File exists`);
  }
  return 0;
};

export const mkfifo: Program = async (started) => {
  for (const path of optionsOf(started.args, ["m"]).rest) {
    const exists = started.host.look((view) => {
      const at = absolute(started, path);
      if (nodeAt(view, at)) return true;
      view.linux.fifos.push(at);
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
    const at = absolute(started, path);
    const problem = started.host.look((view) => {
      const node = nodeAt(view, at);
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
      const at = absolute(started, path);
      if (!nodeAt(view, at)) view.linux.files[at] = "";
    });
  return 0;
};

/** Every file is root's, so that modes make no difference. */
export const chmod: Program = () => 0;

export const readlink: Program = async (started) => {
  const { given, rest } = optionsOf(started.args);
  for (const path of rest) {
    const found = started.host.look((view) => {
      const tree = treeOf(view);
      const at = absolute(started, path);
      const target = tree.links.get(at);
      return given.has("f") ? (target?.startsWith("..") ? posix.join(posix.dirname(at), target) : realPath(tree, at)) : target;
    });
    if (found === undefined) return 1;
    await print(started, `${found}\n`);
  }
  return 0;
};
