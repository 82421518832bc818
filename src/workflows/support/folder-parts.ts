import { join } from "node:path";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import { makeSource, type Source } from "@talosmith/lib/yaml/source.ts";
import { readOne } from "../../config/files.ts";
import { SecretPlaces } from "../../config/secrets.ts";
import { configNames } from "../../config/spellings/spelling.ts";
import type { Event } from "../../engine/event.ts";
import { type PastRun, pastRuns } from "../../environment/runs.ts";
import { PLATFORM_CONFIGS } from "../../platforms/configs.ts";
import type { SupportPart } from "../../platforms/definition.ts";
import { ending } from "./part.ts";

const RUNS = 5;
const OF_A_RUN = ["events.jsonl", "report.md", "plan.json"];

/** Parts that are read from the environment's folder. `folder`: as typed. */
export function folderParts(world: World, folder: string): SupportPart[] {
  const runs = pastRuns(world, folder).slice(0, RUNS);
  return [
    ...configNames(world.files, folder).map((name) => ({
      name,
      about: "the config, without its secrets",
      read: () => configWithoutSecrets(world.files, join(folder, name)),
    })),
    ...runs.flatMap((run) => runParts(world.files, run)),
    { name: "verify.json", about: "the last findings of verify", read: () => lastVerify(runs) },
  ];
}

function runParts(files: Files, { id, folder }: PastRun): SupportPart[] {
  return OF_A_RUN.flatMap((name) => {
    const path = join(folder, name);
    if (files.stat(path) === undefined) return [];
    return [{ name: `runs/${id}/${name}`, about: `the last ${RUNS} runs`, read: () => ending(textOf(files, path)) }];
  });
}

function textOf(files: Files, path: string): string {
  return Buffer.from(files.read(path) ?? []).toString("utf8");
}

/** Masks secrets line by line, which keeps comments and also works for an invalid file. */
function configWithoutSecrets(files: Files, path: string): string {
  const { tree } = readOne(PLATFORM_CONFIGS, files, path);
  const places = new SecretPlaces();
  if (tree) places.learn(tree, () => {});
  const source: Source = tree?.at.source ?? makeSource(path, textOf(files, path));
  let start = 0;
  return source.text
    .split("\n")
    .map((line) => {
      const shown = places.mask(source, start, line);
      start += line.length + 1;
      return shown;
    })
    .join("\n");
}

/** The findings of verify in the last run that reached it. */
function lastVerify(runs: readonly PastRun[]): string {
  for (const run of runs) {
    const found = run.events().filter(isOfVerify);
    if (found.length > 0) return `${JSON.stringify({ run: run.id, found }, null, 2)}\n`;
  }
  throw new Error("none of the last runs reached verify");
}

function isOfVerify(event: Event): boolean {
  return (event.type === "step.finding" || event.type === "step.finished") && event.step.startsWith("verify/");
}
