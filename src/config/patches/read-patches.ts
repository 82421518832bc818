import { basename, dirname, resolve } from "node:path";
import type { Json } from "@talosmith/lib/json.ts";
import { find, locate, type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { UserPatch } from "../config.ts";
import { filled, type Reading, readDocuments } from "../document-file.ts";
import type { Findings, Problem } from "../findings.ts";
import { expandPath, PATCHES } from "../references.ts";
import type { Draft } from "../shape.ts";
import { patchValue, type Unfit } from "./patch-values.ts";

/** Patches by where the config writes or names them: "patches.all[0]". A file that is named twice is one patch. */
export type Patches = ReadonlyMap<string, UserPatch>;

const GROUPS = ["all", "controlplane", "worker"] as const;

const NAMED = { what: "patch file", holds: "a Talos patch" };

/** Reads every patch of a config. What cannot be used is absent, and told. */
export function readPatches(draft: Draft, tree: Tree, reading: Reading): Patches {
  const lists: [Path, readonly unknown[] | undefined][] = [
    ...GROUPS.map((group): [Path, readonly unknown[] | undefined] => [[PATCHES, group], draft.patches?.[group]]),
    ...GROUPS.map((group): [Path, readonly unknown[] | undefined] => [
      ["defaults", group, PATCHES],
      draft.defaults?.[group]?.patches,
    ]),
    ...(draft.nodes ?? []).map((node, index): [Path, readonly unknown[] | undefined] => [
      ["nodes", index, PATCHES],
      node?.patches,
    ]),
  ];
  const patches = new Map<string, UserPatch>();
  const files = new Map<string, UserPatch | undefined>();
  for (const [path, items] of lists)
    for (const [index, item] of (items ?? []).entries()) {
      const at = [...path, index];
      const patch = typeof item === "string" ? named(item, at, tree, files, reading) : written(at, tree, reading);
      if (patch !== undefined) patches.set(pathName(at), patch);
    }
  return patches;
}

function written(path: Path, tree: Tree, { findings }: Reading): UserPatch | undefined {
  const value = find(tree, path);
  return value?.kind === "map" ? patchOf(findings.rename(pathName(path)), [value], findings) : undefined;
}

function named(
  name: string,
  path: Path,
  tree: Tree,
  files: Map<string, UserPatch | undefined>,
  reading: Reading,
): UserPatch | undefined {
  const { world, folder, redactor, findings } = reading;
  const from = locate(tree, path, "value");
  const wrong = noFileName(name);
  const file = wrong === undefined ? expandPath(name, world, folder) : undefined;
  if (file === undefined) {
    const said = wrong ?? {
      says: "has a ~, but HOME is not set",
      hint: "set the environment variable HOME, or write the full path",
    };
    findings.problems.push({ code: "CONFIG_VALUE", at: from, message: `${pathName(path)} ${said.says}`, hint: said.hint });
    return undefined;
  }
  if (files.has(file)) return files.get(file);
  if (isGenerated(file, folder)) {
    findings.problems.push({
      code: "CONFIG_VALUE",
      at: from,
      message: `${pathName(path)} names ${basename(file)}, but \`up\` writes and removes files with such names: controlplane.yaml, worker.yaml, patch-NODE.yaml`,
      hint: `rename the file, or move it into a folder: patches/${basename(file)}`,
    });
    return undefined;
  }
  const read = readDocuments(world.files, file, from, NAMED);
  findings.add(read.problems);
  const trees = read.trees.map((document) => filled(document, reading));
  for (const document of read.trees) findings.secretPlaces.learn(document, (value) => redactor.learn(value));
  const patch = trees.length === 0 ? undefined : patchOf(name, trees, findings);
  files.set(file, patch);
  return patch;
}

/** Whether a file has the name of a generated machine config, which `up` replaces or removes. */
function isGenerated(file: string, folder: string): boolean {
  return dirname(resolve(file)) === resolve(folder) && /^(controlplane|worker|patch-.*)\.yaml$/.test(basename(file));
}

/** People coming from other tools write the patch as one text. */
function noFileName(name: string): { says: string; hint: string } | undefined {
  if (name === "") return { says: "is empty", hint: "name a file, or write the patch itself" };
  if (!/[\n\0]|^\s*\w+:\s/.test(name)) return undefined;
  return {
    says: "is a text, not a patch or a file name",
    hint: "write the patch as keys and values: remove the | (or the quotes) before it",
  };
}

function patchOf(title: string, trees: readonly Tree[], findings: Findings): UserPatch {
  const read = trees.map(documentOf);
  findings.add(read.flatMap(({ problems }) => problems));
  return {
    title,
    documents: read.flatMap(({ document }) => (document === undefined ? [] : [document])),
    where(document, path) {
      const tree = trees[document];
      return tree === undefined ? undefined : findings.where(locate(tree, path, "value"));
    },
  };
}

type Document = { readonly [key: string]: Json };

/** The plain values of a document, and what is wrong with it. */
function documentOf(tree: Tree): { document?: Document; problems: Problem[] } {
  if (tree.kind !== "map") return { problems: [noMapping(tree)] };
  const unfit: Unfit[] = [];
  const document = patchValue(tree, unfit) as Document;
  const problems = unfit.map(
    ({ at }): Problem => ({
      code: "CONFIG_VALUE",
      at,
      message: "a patch contains an invalid number",
      hint: "put it in quotes, or write a finite number",
    }),
  );
  return { document, problems };
}

function noMapping(tree: Tree): Problem {
  const list = tree.kind === "list";
  return {
    code: "CONFIG_VALUE",
    at: tree.at,
    message: `a patch must be a section of keys, not ${list ? "a list" : "a single value"}`,
    hint: list
      ? "write a strategic merge patch, the part of a machine config that should change; lists of operations (JSON patches) are not supported"
      : 'write the part of a machine config that should change, such as machine: { sysctls: { vm.swappiness: "1" } }',
  };
}
