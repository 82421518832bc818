import { basename, join } from "node:path";
import { userError } from "@talosmith/lib/errors.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { find, type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import { ABSENT, type ConfigFiles, readBytes, readConfigFiles, readOne } from "../files.ts";
import type { Problem } from "../findings.ts";
import type { Platforms } from "../platform.ts";
import { CLUSTER_FILE, CONFIG_FILE, FLAT_FILE, NODES_FILE } from "../quick-look.ts";
import { isFlat } from "./flat-keys.ts";

export interface Spelled extends ConfigFiles {
  /** The file to speak of when no other is meant. */
  file: string;
  /** The names of the files a person edits, in the environment's folder. */
  names: readonly string[];
  /** Paths whose problems are reported already. */
  silent: Path[];
}

/** The files of a folder that a config can be in. */
export function configNames(files: Files, folder: string): string[] {
  return [CONFIG_FILE, FLAT_FILE, CLUSTER_FILE, NODES_FILE].filter((name) => readBytes(files, join(folder, name)) !== ABSENT);
}

/**
 * Reads the config of a folder, in whichever way it is written. Two of them would contradict each other one day: that is an error. The file
 * `besides` does not count where there is another.
 */
export function readSpelled(platforms: Platforms, files: Files, folder: string, besides?: string): Spelled {
  const all = configNames(files, folder);
  const others = all.filter((name) => name !== besides);
  const there = others.length > 0 ? others : all;
  const single = there.filter((name) => name === CONFIG_FILE || name === FLAT_FILE);
  const pair = there.filter((name) => name === CLUSTER_FILE || name === NODES_FILE);
  const found = [...single, ...(pair.length > 0 ? [pair.join(" and ")] : [])];
  if (found.length > 1) throw twice(folder, found);
  return pair.length > 0 ? readPair(platforms, files, folder) : readSingle(platforms, files, folder, single[0] ?? CONFIG_FILE);
}

function twice(folder: string, found: readonly string[]): Error {
  const old = found.find((name) => name !== CONFIG_FILE) ?? "";
  return userError("CONFIG_SPELLINGS", {
    message: `${folder} contains more than one config: ${found.join(", ")}`,
    hint: `keep one of them: rename the others, such as\n${old
      .split(" and ")
      .map((name) => `mv ${join(folder, name)} ${join(folder, name)}.old`)
      .join("\n")}`,
  });
}

function readSingle(platforms: Platforms, files: Files, folder: string, name: string): Spelled {
  const file = join(folder, name);
  const own = readOne(platforms, files, file);
  const flat = own.tree !== undefined && isFlat(platforms, own.tree);
  const read =
    flat && own.tree !== undefined
      ? { trees: [own.tree], merged: own.tree, problems: own.problems }
      : readConfigFiles(platforms, files, file, own);
  return { ...read, file, names: [name], silent: [] };
}

/** nodes.yaml holds the nodes, cluster.yaml the rest. */
function readPair(platforms: Platforms, files: Files, folder: string): Spelled {
  const file = join(folder, CLUSTER_FILE);
  const cluster = readConfigFiles(platforms, files, file);
  const nodes = readOne(platforms, files, join(folder, NODES_FILE));
  const misplaced = [
    ...(cluster.trees[0] === undefined ? [] : keysBut(cluster.trees[0], (key) => key !== "nodes", NODES_FILE)),
    ...(nodes.tree === undefined ? [] : keysBut(nodes.tree, (key) => key === "nodes", CLUSTER_FILE)),
  ];
  const without = nodes.tree !== undefined && find(nodes.tree, ["nodes"]) === undefined;
  const problems = [
    ...cluster.problems,
    ...nodes.problems,
    ...misplaced,
    ...(without && nodes.tree ? [noNodes(nodes.tree)] : []),
  ];
  return {
    file,
    names: [CLUSTER_FILE, NODES_FILE],
    trees: [...cluster.trees, ...(nodes.tree ? [nodes.tree] : [])],
    ...(cluster.merged && nodes.tree && { merged: withNodes(cluster.merged, nodes.tree) }),
    problems: problems.map((problem) => partner(problem, folder)),
    silent: without ? [["nodes"]] : [],
  };
}

function keysBut(tree: Tree, belongs: (key: string) => boolean, other: string): Problem[] {
  if (tree.kind !== "map") return [];
  return [...tree.entries]
    .filter(([key]) => !belongs(key))
    .map(([key, { key: at }]) => ({
      code: "CONFIG_CONFLICT",
      at,
      message: `${pathName([key])} belongs in ${other}`,
      hint: `move it there: ${NODES_FILE} holds the nodes, ${CLUSTER_FILE} the rest`,
    }));
}

function noNodes(tree: Tree): Problem {
  const hint = "add it:\nnodes:\n  - { name: cp, role: controlplane, ip: 10.10.0.11 }";
  return { code: "CONFIG_MISSING_KEY", at: tree.at, message: "nodes is missing", hint, remark: "nodes is missing" };
}

/** Adds the nodes; other keys of that file are reported as misplaced and not used. */
function withNodes(rest: Tree, nodes: Tree): Tree {
  const entry = nodes.kind === "map" ? nodes.entries.get("nodes") : undefined;
  if (rest.kind !== "map" || entry === undefined) return rest;
  return { ...rest, entries: new Map([...rest.entries, ["nodes", entry]]) };
}

/** One of the two files without the other: the one that is there says what the other is for. */
function partner(problem: Problem, folder: string): Problem {
  const gone = [CLUSTER_FILE, NODES_FILE].find((name) => problem.message === `${join(folder, name)} does not exist`);
  if (gone === undefined) return problem;
  const other = gone === NODES_FILE ? CLUSTER_FILE : NODES_FILE;
  return {
    ...problem,
    hint: `create it beside ${other}: ${basename(gone) === NODES_FILE ? "it holds nodes:" : "it holds everything but nodes:"}; or write both as one ${CONFIG_FILE}`,
  };
}
