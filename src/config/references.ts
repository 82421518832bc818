import { join } from "node:path";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { decodeUtf8, type Place } from "@talosmith/lib/yaml/source.ts";
import { mapScalars, type Path, pathName, type ScalarTree, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { readBytes } from "./files.ts";
import type { Problem } from "./findings.ts";
import { holdsAnyKey, isSecret } from "./secrets.ts";

/** The limit for all referenced values together: one large variable, referenced often, could fill the memory. */
const MOST_BROUGHT_IN = 8 * 1024 * 1024;

/** Everything that looks like a reference, valid or not. */
export const REFERENCE = /\$\{([^}$]*)\}/g;

export interface Resolved {
  tree: Tree;
  problems: Problem[];
  /** Paths of values with an unresolvable reference, which are not checked further. */
  unresolved: Path[];
}

export interface Surroundings {
  world: World;
  folder: string;
  redactor: Redactor;
  /** Values whose references may be unresolvable. */
  mayBeMissing?: readonly Path[];
}

/** Whether a value is one reference and nothing else. */
export function isReference(value: string): boolean {
  return /^\$\{(env|file):[^}$]+\}$/.test(value);
}

/** Replaces `${env:NAME}` and `${file:PATH}` with their values. References inside of those values are not replaced. */
export function resolveReferences(tree: Tree, { world, folder, redactor, mayBeMissing = [] }: Surroundings): Resolved {
  const optional = new Set(mayBeMissing.map(pathName));
  const problems: Problem[] = [];
  const unresolved: Path[] = [];
  let broughtIn = 0;
  const changed = mapScalars(tree, (scalar, path) => {
    const { value } = scalar;
    if (typeof value !== "string" || !value.includes("${")) return scalar;
    const free = isFree(path);
    let complete = true;
    const filled = value.replaceAll(REFERENCE, (written, inside: string) => {
      // It may be part of a script, or of a template of another program.
      if (free && !/^(env|file):/.test(inside)) return written;
      const found = lookUp(inside, world, folder);
      broughtIn += typeof found === "string" ? found.length : 0;
      if (typeof found === "string" && broughtIn <= MOST_BROUGHT_IN) {
        if (free || isSecret(path) || holdsAnyKey(found)) redactor.learn(found);
        return found;
      }
      complete = false;
      if (!optional.has(pathName(path)) || !isReference(written))
        problems.push({
          code: "CONFIG_REFERENCE",
          // No more than a hundred are shown, and each would be searched for in the whole value.
          at: problems.length < 100 ? placeOf(scalar, written) : scalar.at,
          ...(typeof found === "string" ? TOO_MUCH : found),
        });
      return written;
    });
    if (!complete) unresolved.push(path);
    else if (isSecret(path)) redactor.learn(filled);
    return filled === value ? scalar : { ...scalar, value: filled, written: value };
  });
  return { tree: changed, problems, unresolved };
}

/** Whether a path is inside a patch, chart values or a manifest, where any referenced value may be a secret. */
function isFree(path: Path): boolean {
  return path.includes(PATCHES) || (path[0] === "addons" && (path.includes("values") || path.includes("inline")));
}

/** The key of patches in all sections. */
export const PATCHES = "patches";

const TOO_MUCH = {
  message: "the references up to here bring in more than 8 MiB",
  hint: "write what is needed once, or bring in less",
};

type Missing = { message: string; hint: string };

function lookUp(inside: string, world: World, folder: string): string | Missing {
  const [, kind, name = ""] = /^(env|file):(.+)$/s.exec(inside) ?? [];
  if (kind === "env") return fromEnvironment(name, world);
  if (kind === "file") return fromFile(name, world, folder);
  const guess = /^[A-Za-z_]\w*$/.test(inside)
    ? `write \${env:${inside}} for the environment variable`
    : `write \${env:NAME} or \${file:PATH}`;
  return { message: `\${${inside}} is no reference`, hint: guess };
}

function fromEnvironment(name: string, world: World): string | Missing {
  const value = world.env(name);
  if (value !== undefined && value !== "") return value;
  const state = value === undefined ? "is not set" : "is empty";
  return { message: `environment variable ${name} ${state}`, hint: `set it before running talosmith: export ${name}=…` };
}

function fromFile(path: string, world: World, folder: string): string | Missing {
  const full = expandPath(path, world, folder);
  if (full === undefined)
    return { message: `~ in ${path} cannot be resolved`, hint: "set the environment variable HOME, or write the full path" };
  const bytes = readBytes(world.files, full);
  if (typeof bytes === "string")
    return {
      message: `file ${full} ${bytes}`,
      hint: "create it, or correct the path: it is relative to the environment's folder",
    };
  const decoded = decodeUtf8(bytes);
  if (!("text" in decoded)) return { message: `file ${full} is not UTF-8 text`, hint: "refer to a text file" };
  const text = decoded.text.replace(/\r?\n$/, "");
  return text === "" ? { message: `file ${full} is empty`, hint: "write the value into it" } : text;
}

/** Paths in a config are relative to the environment's folder, also in a file it extends: so one base serves many environments. */
export function expandPath(path: string, world: World, folder: string): string | undefined {
  if (path === "~" || path.startsWith("~/")) {
    const home = world.env("HOME");
    return home === undefined || home === "" ? undefined : join(home, path.slice(1));
  }
  return path.startsWith("/") ? path : join(folder, path);
}

/** The place of the reference, when the file contains it literally; else that of the whole value. */
function placeOf(scalar: ScalarTree, written: string): Place {
  const { source, start, end } = scalar.at;
  const offset = source.text.slice(start, end).indexOf(written);
  return offset === -1 ? scalar.at : { source, start: start + offset, end: start + offset + written.length };
}
