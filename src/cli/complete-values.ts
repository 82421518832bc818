import type { Files } from "@talosmith/lib/world/world.ts";
import type { Command } from "commander";
import { environmentsFrom, namesOfNodes } from "../config/quick-look.ts";
import { paths } from "../environment/folder.ts";
import { PLATFORMS } from "../platforms/all.ts";
import { STAGES } from "../workflows/stages.ts";
import type { Candidate, Completion, Typed, Values } from "./complete.ts";
import { commandsOf } from "./help.ts";

/** The sources of completion: files, the commands of this program, and the files that are shipped with it. */
export interface Sight {
  readonly files: Files;
  readonly root: Command;
  shipped(path: string): string | undefined;
}

type Source = (typed: Typed, sight: Sight) => Completion | Promise<Completion>;

/** The values of arguments and options, by what help calls them. Nothing is contacted, and nothing large is loaded. */
const SOURCES: Readonly<Record<string, Source>> = {
  environment: ({ start }, { files }) => environments(start, files),
  stage: () => listed(STAGES),
  node: ({ given }, { files }) => listed(nodes(files, given.environment)),
  disk: ({ given }, { files }) => listed(nodes(files, given.environment).map((name) => `${name}/`)),
  run: ({ given }, { files }) => listed(["last", ...runs(files, given.environment)]),
  addon: async () => listed(Object.keys((await import("../catalog/addons/presets.ts")).PRESETS)),
  platform: () => listed(PLATFORMS.map(({ name }) => name)),
  command: ({ given }, { root }) => commands(given.command, root),
  key: ({ start }, { shipped }) => keys(start, shipped("schema/config.schema.json")),
  code: async () => listed((await import("../views/runbooks.ts")).RUNBOOKS),
  folder: () => ({ candidates: [], paths: "folders" }),
  file: () => ({ candidates: [], paths: "files" }),
  backup: () => ({ candidates: [], paths: "files" }),
  place: () => ({ candidates: [], paths: "files" }),
};

/** Whether values of this kind can be completed; the others are free text. */
export const isKnownKind = (kind: string) => Object.hasOwn(SOURCES, kind);

export function valuesFrom(sight: Sight): Values {
  return async (typed) => {
    if (typed.choices) return listed(typed.choices);
    return (await SOURCES[typed.kind]?.(typed, sight)) ?? { candidates: [] };
  };
}

const listed = (words: readonly string[]): Completion => ({ candidates: words.map((word): Candidate => ({ word })) });

function environments(start: string, files: Files): Completion {
  const found = environmentsFrom(files, start);
  return found.length > 0 ? listed(found) : { candidates: [], paths: "folders" };
}

/** Nodes of the config, and those that are no longer in it but were there when outputs.json was written. */
function nodes(files: Files, folder: string | undefined): string[] {
  if (folder === undefined) return [];
  return [...new Set([...namesOfNodes(files, folder), ...nodesOfOutputs(files, folder)])];
}

function nodesOfOutputs(files: Files, folder: string): string[] {
  try {
    const text = files.read(paths.outputs(folder));
    return text === undefined ? [] : Object.keys(JSON.parse(Buffer.from(text).toString()).talos_node_ips ?? {});
  } catch {
    return [];
  }
}

/** Newest first. */
function runs(files: Files, folder: string | undefined): string[] {
  return folder === undefined ? [] : (files.list(paths.runs(folder)) ?? []).toReversed();
}

function commands(first: string | undefined, root: Command): Completion {
  const group = first === undefined ? root : commandsOf(root).find((one) => one.name() === first);
  const found = group === undefined ? [] : commandsOf(group);
  return { candidates: found.map((one) => ({ word: one.name(), about: one.description() })) };
}

/** The part of JSON Schema that leads from a key to those below it. */
interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: boolean | Schema;
}

/** Keys of config.yaml from the schema that is shipped: the one that checks configs takes too long to load. */
function keys(start: string, text = "{}"): Completion {
  const words = start.split(".").slice(0, -1);
  let sections: Schema[] = [JSON.parse(text)];
  for (const word of words) sections = sections.flatMap(sectionsOf).flatMap(({ properties = {} }) => properties[word] ?? []);
  const found = sections.flatMap(sectionsOf).flatMap(({ properties = {} }) => Object.entries(properties));
  return {
    candidates: found
      .filter(([, { description = "" }]) => !description.endsWith("Not available yet."))
      .map(([key, schema]) => {
        const isSection = sectionsOf(schema).some(({ properties }) => properties);
        const word = [...words, key].join(".") + (isSection ? "." : "");
        return { word, ...(schema.description && { about: schema.description }) };
      }),
  };
}

/** The schema itself, or of the items of a list, or of the variants of a value. */
function sectionsOf(schema: Schema): Schema[] {
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
  return [schema, ...inner.flatMap(sectionsOf)];
}
