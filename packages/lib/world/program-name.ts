import * as fs from "node:fs";
import { basename, delimiter, dirname, isAbsolute, relative, resolve } from "node:path";
import { shellWord } from "../shell-word.ts";

/** How a process was started. */
export interface Start {
  /** The program's file, absolute. */
  file: string;
  /** Whether the file can be started by its own name; otherwise Node has to. */
  isExecutable: boolean;
  /** The folder in which it was started. */
  folder: string;
  /** PATH */
  search: string;
  /** Set when npx started it: the package that it was asked to take the program from, or an empty text. */
  npx?: string;
}

/** Returns what to type, in the folder in which this process was started, to start its program again. */
export function programName(): string {
  const [, script = process.execPath] = process.argv;
  const isBinary = script === process.execPath;
  // The system resolves links to a binary; the name as typed leads to the same file.
  if (isBinary && basename(process.argv0) === process.argv0) return shellWord(process.argv0);
  const folder = process.cwd();
  const file = isBinary ? resolve(folder, process.argv0) : script;
  const { PATH = "", npm_command, npm_config_package = "" } = process.env;
  const npx = npm_command === "exec" ? { npx: npm_config_package } : {};
  return programNameOf({ file, isExecutable: isExecutable(file), folder, search: PATH, ...npx });
}

export function programNameOf({ file, isExecutable, folder, search, npx }: Start): string {
  const name = shellWord(basename(file));
  const home = dirname(file);
  const project = /^(.*)[\\/]node_modules[\\/]\.bin$/.exec(home)?.[1];
  // npx and npm put this folder into PATH for this process only.
  if (project !== undefined && npx) return `npx --package=${shellWord(npx)} ${name}`;
  if (project !== undefined && (npx === "" || isBelow(folder, project))) return `npx ${name}`;
  if (search.split(delimiter).some((one) => one !== "" && resolve(folder, one) === home)) return name;
  const near = relative(folder, file);
  const path = near.length > file.length ? file : near.startsWith("..") ? near : `./${near}`;
  return isExecutable ? shellWord(path) : `node ${shellWord(path)}`;
}

function isBelow(folder: string, project: string): boolean {
  const path = relative(project, folder);
  return !path.startsWith("..") && !isAbsolute(path);
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
