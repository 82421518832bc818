import { join, resolve } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import { TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { minimal } from "../config/examples/minimal.ts";
import { loadConfig } from "../config/load.ts";
import { CONFIG_FILE } from "../config/quick-look.ts";
import { configNames } from "../config/spellings/spelling.ts";
import { keepCopy } from "../environment/copies.ts";
import { lockEnvironment } from "../environment/lock.ts";
import type { CommandSession } from "../platforms/command-session.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import type { PlatformDefinition } from "../platforms/definition.ts";
import type { InitWishes } from "../platforms/init-answers.ts";
import type { Questions } from "../platforms/questions.ts";
import { type CiPlace, type CiSystem, ciPlace, writeCiRecipe } from "./ci-recipe.ts";
import { writeNewConfig } from "./new-config.ts";

/** `talosmith init`: creates a folder with a commented or minimal config.yaml, from answers or from flags alone. */
export async function initEnvironment(
  session: CommandSession,
  { init }: PlatformDefinition,
  folder: string,
  wishes: InitWishes & { force: boolean; minimal?: boolean; ci?: CiWish },
  ask?: Questions,
): Promise<number> {
  const { world } = session;
  const file = join(folder, CONFIG_FILE);
  const { ci } = wishes;
  const place = ci && ciPlace(world, ci.system, folder, wishes.force);
  // The recipe can be added to an environment that exists.
  if (ci && place && !wishes.force && world.files.stat(file)) return addRecipe(session, file, place, ci.version);
  refuseToOverwrite(world, folder, wishes.force);
  const asking = { ...session, platforms: PLATFORM_CONFIGS };
  const { text: commented, keep } = await init.write(asking, folder, wishes, ask);
  const text = wishes.minimal ? minimal(PLATFORM_CONFIGS, commented, (await init.write(asking, folder, {})).text) : commented;
  makeFolderDurably(world.files, folder, 0o700);
  const absolute = resolve(folder);
  const lock = lockEnvironment(world, absolute, "init");
  let todo: string[] = [];
  try {
    // Another command may have written it meanwhile.
    refuseToOverwrite(world, folder, wishes.force);
    keepCopy(world, absolute, file);
    if (keep !== undefined) writeDurably(world.files, join(folder, keep.name), `${keep.secret.reveal()}\n`);
    writeNewConfig(world.files, file, text);
    if (ci && place) todo = writeCiRecipe(world, place, { config: text, version: ci.version });
  } finally {
    lock.release();
  }
  const left = leftToDo(session, folder);
  session.bus.emit({
    type: "result",
    result: {
      kind: "facts",
      name: "init",
      title: `wrote ${file}`,
      facts: left
        .map(({ where, message }, index) => ({
          key: `todo-${index + 1}`,
          label: where === undefined ? "to do" : `line ${where.line}`,
          value: message,
        }))
        .concat(place ? recipeFacts(place, todo) : []),
      next: [
        ...(init.next?.(left.map(({ message }) => message)) ?? []),
        ownCommand("doctor", folder),
        ownCommand("plan", folder),
      ],
    },
  });
  return 0;
}

export interface CiWish {
  system: CiSystem;
  /** The release that CI installs. */
  version: string;
}

function addRecipe({ world, bus }: CommandSession, file: string, place: CiPlace, version: string): number {
  const config = Buffer.from(world.files.read(file) ?? []).toString();
  const facts = recipeFacts(place, writeCiRecipe(world, place, { config, version }));
  bus.emit({ type: "result", result: { kind: "facts", name: "init", title: `wrote ${place.path}`, facts, next: [] } });
  return 0;
}

function recipeFacts({ file }: CiPlace, todo: readonly string[]) {
  return todo.map((value, index) => ({ key: `ci-${index + 1}`, label: index === 0 ? `CI: ${file}` : "", value }));
}

function refuseToOverwrite(world: World, folder: string, force: boolean): void {
  const there = configNames(world.files, folder);
  const other = there.filter((name) => name !== CONFIG_FILE);
  if (other.length > 0)
    throw userError("FILE_EXISTS", {
      message: `${folder} has a config already: ${there.join(", ")}`,
      hint: `it works as it is; to convert it to one ${CONFIG_FILE}:\n  ${ownCommand("import", folder)}`,
    });
  if (there.length > 0 && !force)
    throw userError("FILE_EXISTS", {
      message: `Unable to write ${join(folder, CONFIG_FILE)}: it exists already`,
      hint: "choose another folder, or add --force to replace it. Nothing was changed.",
    });
}

/** Problems that the new config still has: blanks, and references to missing values. */
function leftToDo({ world, redactor }: CommandSession, folder: string): readonly TalosmithError[] {
  try {
    loadConfig(PLATFORM_CONFIGS, world, folder, redactor);
    return [];
  } catch (error) {
    if (error instanceof TalosmithError && error.kind === "user") return error.problems;
    throw error;
  }
}
