import { dirname, join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { configJsonSchema } from "../config/json-schema.ts";
import { PRIVATE_FOLDER } from "../environment/folder.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";

const COMMITTED = "$schema=../../schema/config.schema.json";
const SCHEMA = ".talosmith/config.schema.json";

/** Writes a new config and, beside it, the schema from which editors complete and explain its keys: the folder may be anywhere. */
export function writeNewConfig(files: Files, file: string, text: string): void {
  const schema = join(dirname(file), SCHEMA);
  makeFolderDurably(files, dirname(schema), PRIVATE_FOLDER);
  writeDurably(files, schema, `${JSON.stringify(configJsonSchema(PLATFORM_CONFIGS))}\n`);
  writeDurably(files, file, text.replace(COMMITTED, `$schema=${SCHEMA}`));
}
