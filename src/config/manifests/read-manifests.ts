import { find, locate, type Path, pathName, type Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Manifest } from "../../catalog/addons/addon.ts";
import { filled, type Reading, readDocuments } from "../document-file.ts";
import { expandPath } from "../references.ts";
import type { Draft } from "../shape.ts";
import { objectsOf } from "./objects.ts";

/** The objects of each entry of `addons.manifests`; an entry that is fetched from elsewhere has none. */
export type Manifests = ReadonlyMap<number, readonly Manifest[]>;

const NAMED = { what: "manifest file", holds: "Kubernetes objects" };

/** Reads every manifest of a config. What cannot be used is absent, and told. */
export function readManifests({ addons }: Draft, tree: Tree, reading: Reading): Manifests {
  const manifests = new Map<number, readonly Manifest[]>();
  for (const [index, entry] of (addons?.manifests ?? []).entries()) {
    const path: Path = ["addons", "manifests", index];
    const inline = find(tree, [...path, "inline"]);
    const documents =
      typeof entry === "string"
        ? documentsOf(entry, path, tree, reading)
        : entry?.inline !== undefined && inline !== undefined
          ? [inline]
          : undefined;
    if (documents === undefined) continue;
    for (const document of documents) learnSecrets(document, reading);
    const read = documents.map(objectsOf);
    reading.findings.add(read.flatMap(({ problems }) => problems));
    manifests.set(
      index,
      read.flatMap(({ objects }) => objects),
    );
  }
  return manifests;
}

function documentsOf(name: string, path: Path, tree: Tree, reading: Reading): Tree[] | undefined {
  const { world, folder, findings } = reading;
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
  const read = readDocuments(world.files, file, from, NAMED);
  findings.add(read.problems);
  for (const document of read.trees) findings.secretPlaces.learn(document, (value) => reading.redactor.learn(value));
  return read.trees.map((document) => filled(document, reading));
}

/** Detects a URL or an inline text in place of a file name. */
function noFileName(name: string): { says: string; hint: string } | undefined {
  if (name === "") return { says: "is empty", hint: "name a file, or write { url: https://… } or { inline: { … } }" };
  if (/^https?:\/\//.test(name)) return { says: "is a URL, not a file name", hint: `write { url: ${name} }` };
  if (!/[\n\0]|^\s*\w+:\s/.test(name)) return undefined;
  return { says: "is a text, not a file name", hint: "write { inline: { … } } with the object as keys and values" };
}

/** The values of a Secret, whatever they are called. */
function learnSecrets(document: Tree, { findings, redactor }: Reading): void {
  const kind = find(document, ["kind"]);
  if (kind?.kind !== "scalar" || kind.value !== "Secret") return;
  findings.secretPlaces.learn(
    document,
    (value) => redactor.learn(value),
    ([key]) => key === "data" || key === "stringData",
  );
  const data = find(document, ["data"]);
  for (const { value } of data?.kind === "map" ? data.entries.values() : [])
    if (value.kind === "scalar") redactor.learn(Buffer.from(String(value.value), "base64").toString());
}
