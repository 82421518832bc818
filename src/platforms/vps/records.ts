import { join } from "node:path";
import { makeFolderDurably, writeDurably } from "@talosmith/lib/durable.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "../../environment/folder.ts";
import {
  type Begun,
  type RecordedImage,
  readRecord,
  recordText,
  restartedRecord,
  type TakeoverRecord,
  takeoverRecord,
} from "../../takeover/record.ts";
import type { SurveyedDisk } from "../../takeover/survey.ts";

/** How long a server may take from its restart to Talos's first answer; a worker's needs a control plane as well. */
export const START_LIMIT_MS = 30 * 60_000;
/** How long an unfinished takeover counts as ours: later, something else may have been installed. */
const HALF_DONE_MS = 2 * 60 * 60_000;

const KEPT = ".json";
/** The ending of a record whose server was wiped: it no longer describes the server. */
const OVER = ".json.over";

const ORDERED = "rescue-ordered";

/** How far the recorded takeover of a server came. "starting": Talos should be starting. "all": its time to start is over. */
export type History = { is: "nothing" } | { is: "a part" | "starting" | "all"; record: TakeoverRecord };

/** Records of what each server held before it was overwritten. An older record is never overwritten: it may be all that is left of a disk's data. */
export class Records {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The record of the last takeover of a node's server, unless the server was wiped since. */
  last({ files }: World, node: string): TakeoverRecord | undefined {
    const folder = paths.takeovers(this.#folder, node);
    const path = this.#names(files.list(folder)).at(-1);
    const content = path === undefined ? undefined : files.read(join(folder, path));
    return content && readRecord(Buffer.from(content).toString("utf8"), join(folder, path ?? ""));
  }

  history(world: World, node: string): History {
    const record = this.last(world, node);
    if (!record) return { is: "nothing" };
    if (record.restartedAt !== undefined)
      return { is: isWithin(world, record.restartedAt, START_LIMIT_MS) ? "starting" : "all", record };
    return isWithin(world, record.begunAt, HALF_DONE_MS) ? { is: "a part", record } : { is: "nothing" };
  }

  /** Durable when `keep` returns, and again when `restarting` does. */
  open(world: World, begun: Omit<Begun, "saved" | "at">): Keeping {
    const folder = paths.takeovers(this.#folder, begun.node);
    let record: TakeoverRecord | undefined;
    let path = "";
    const write = (now: TakeoverRecord) => {
      record = now;
      writeDurably(world.files, path, recordText(now), PRIVATE_FILE);
    };
    return {
      keep: (saved) => {
        makeFolderDurably(world.files, folder, PRIVATE_FOLDER);
        path = join(folder, `${newName(world, folder)}${KEPT}`);
        write(takeoverRecord({ ...begun, saved, at: world.clock.now() }));
      },
      restarting: (image) => {
        if (record) write(restartedRecord(record, image, world.clock.now()));
      },
    };
  }

  /** Notes that the provider is about to restart the server, which explains why it is silent soon after. */
  rescueOrdered(world: World, node: string): void {
    const folder = paths.takeovers(this.#folder, node);
    makeFolderDurably(world.files, folder, PRIVATE_FOLDER);
    writeDurably(world.files, join(folder, ORDERED), `${new Date(world.clock.now()).toISOString()}\n`, PRIVATE_FILE);
  }

  entersRescue(world: World, node: string): boolean {
    const content = world.files.read(join(paths.takeovers(this.#folder, node), ORDERED));
    const ordered = content && Date.parse(Buffer.from(content).toString("utf8").trim());
    return ordered !== undefined && isWithin(world, ordered, START_LIMIT_MS);
  }

  /** Whether it was a node and was wiped, so that it is not one now. */
  isOver({ files }: World, node: string): boolean {
    const names = (files.list(paths.takeovers(this.#folder, node)) ?? []).filter((name) => name.includes(KEPT));
    return names.at(-1)?.endsWith(OVER) ?? false;
  }

  /** Keeps the record, marked as outdated. */
  end({ files }: World, node: string): void {
    const folder = paths.takeovers(this.#folder, node);
    const names = this.#names(files.list(folder));
    for (const name of names) files.rename(join(folder, name), join(folder, name.replace(/\.json$/, OVER)));
    if (names.length > 0) files.syncFolder(folder);
  }

  #names(all: readonly string[] = []): string[] {
    return all.filter((name) => name.endsWith(KEPT));
  }
}

export interface Keeping {
  keep(saved: Begun["saved"]): void;
  restarting(image: RecordedImage): void;
}

export function isSameDisk({ disk }: TakeoverRecord, found: SurveyedDisk): boolean {
  if (disk.bytes !== found.bytes) return false;
  if (disk.serial !== undefined || found.serial !== undefined) return disk.serial === found.serial;
  return disk.wwid === found.wwid && disk.path === found.path;
}

/** A time further in the future than the limit counts as past: the clock was set back since. */
function isWithin({ clock }: World, then: number, limitMs: number): boolean {
  return Math.abs(clock.now() - then) < limitMs;
}

/** Names sort as they were made, also when the clock was set back. */
function newName({ files, clock }: World, folder: string): string {
  const last = (files.list(folder) ?? []).findLast((name) => name.includes(KEPT))?.slice(0, 23);
  const named = (ms: number) => new Date(ms).toISOString().slice(0, 23).replaceAll(":", "-");
  if (last === undefined || last < named(clock.now())) return named(clock.now());
  return named(Date.parse(`${last.slice(0, 10)}${last.slice(10).replaceAll("-", ":")}Z`) + 1);
}
