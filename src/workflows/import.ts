import { isAbsolute, join } from "node:path";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import { loadWritten } from "../config/load.ts";
import { CONFIG_FILE } from "../config/quick-look.ts";
import { writeConfig } from "../config/spellings/write.ts";
import type { Session } from "../engine/context.ts";
import { keepCopy } from "../environment/copies.ts";
import { environmentFolder } from "../environment/environment.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import { writeNewConfig } from "./new-config.ts";

export interface ImportWishes {
  /** A name in the environment's folder, or an absolute path. */
  out: string;
  force: boolean;
}

/** `talosmith import`: converts a config in another format to one config.yaml. Contacts no server and changes nothing else. */
export async function importConfig(
  session: Session & { redactor: Redactor },
  folder: string,
  wishes: ImportWishes,
): Promise<number> {
  const { world, bus, redactor } = session;
  const absolute = environmentFolder(world, folder);
  const out = isAbsolute(wishes.out) ? wishes.out : join(folder, wishes.out);
  const { loaded, tree, names, flat } = loadWritten(PLATFORM_CONFIGS, world, folder, redactor, { besides: wishes.out });
  if (names.join() === CONFIG_FILE && !flat)
    throw userError("NOTHING_TO_IMPORT", {
      message: `${join(folder, CONFIG_FILE)} already has sections`,
      hint: "there is nothing to import; keep using it as it is",
    });
  const lock = lockEnvironment(world, absolute, "import");
  let copy: string | undefined;
  try {
    if (world.files.stat(out) !== undefined && !wishes.force)
      throw userError("FILE_EXISTS", {
        message: `Unable to write ${out}: it exists already`,
        hint: `look at it, then add --force to replace it, or --out NAME for another file. Nothing was changed.`,
      });
    copy = keepCopy(world, absolute, out);
    writeNewConfig(world.files, out, writeConfig(PLATFORM_CONFIGS, tree, names));
  } finally {
    lock.release();
  }
  for (const warning of loaded.warnings)
    bus.emit({ type: "notice", level: "warn", message: warning.message, hint: warning.hint });
  const old = names.map((name) => join(folder, name)).filter((file) => file !== out);
  const inPlace = out === join(folder, CONFIG_FILE);
  bus.emit({
    type: "result",
    result: {
      kind: "facts",
      name: "import",
      title: `${out} contains the config from ${names.join(" and ")}`,
      facts: [
        { key: "file", label: "written", value: out },
        { key: "nodes", label: "nodes", value: loaded.config.nodes.length },
        ...(copy === undefined ? [] : [{ key: "copy", label: "old copy", value: copy }]),
        ...(old.length === 0
          ? []
          : [{ key: "kept", label: "kept", value: `${old.join(", ")}: rename or remove them: a folder has one config` }]),
      ],
      next: [...(inPlace ? old.map((file) => `mv ${file} ${file}.old`) : []), ownCommand("plan", folder)],
    },
  });
  return 0;
}
