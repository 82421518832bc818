import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Files } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "./folder.ts";

/** The record of an unfinished operation. Written before its first change, removed after its last one. */
export interface OperationRecord {
  /** "node replace", "stop" */
  readonly kind: string;
  /** The part of the cluster it is about, if not all of it: "worker-2". */
  readonly subject?: string;
  /** The state to reach, in values that do not depend on a later config. */
  readonly target: Json;
  /** When it began. */
  readonly at: string;
}

const FORMAT = 1;

export function readOperation(files: Files, { folder, shown }: { folder: string; shown: string }): OperationRecord | undefined {
  const content = files.read(paths.operation(folder));
  if (content === undefined) return undefined;
  const record = parsed(Buffer.from(content).toString("utf8"));
  if (record) return record;
  throw userError("OPERATION_UNREADABLE", {
    message: `Unable to read the interrupted operation in ${shown}/.talosmith/operation.json`,
    detail: "it is damaged, or a newer talosmith wrote it",
    hint: `use the talosmith that began it; or remove the file and let  ${ownCommand("plan", shown)}  show what is left to do. Nothing was changed.`,
  });
}

function parsed(text: string): OperationRecord | undefined {
  try {
    const { format, ...record } = JSON.parse(text) as OperationRecord & { format: number };
    return format === FORMAT && typeof record.kind === "string" && typeof record.at === "string" ? record : undefined;
  } catch {
    return undefined;
  }
}

export function writeOperation(files: Files, folder: string, record: OperationRecord): void {
  makeFolderDurably(files, paths.state(folder), PRIVATE_FOLDER);
  writeDurably(files, paths.operation(folder), `${JSON.stringify({ format: FORMAT, ...record }, null, 2)}\n`, PRIVATE_FILE);
}

/** Removes the record, if there is one. */
export function removeOperation(files: Files, folder: string): void {
  if (files.stat(paths.operation(folder)) === undefined) return;
  files.remove(paths.operation(folder));
  files.syncFolder(paths.state(folder));
}
