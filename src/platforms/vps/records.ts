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
/** So long what was begun and not finished counts as ours: nobody has installed something else since. */
const HALF_DONE_MS = 2 * 60 * 60_000;

const KEPT = ".json";
/** Its server was wiped since: it says nothing about what is there. */
const OVER = ".json.over";

const ORDERED = "rescue-ordered";

/** How far a takeover came, as it was written down. "starting": the server should be on its way to Talos. "all": it had all the time for that. */
export type History = { is: "nothing" } | { is: "a part" | "starting" | "all"; record: TakeoverRecord };

/** What was found of each server before it was overwritten. An older record is never written over: it may be all that is left of somebody's disk. */
export class Records {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Of the last takeover of a node's server, unless that was undone. */
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

  /** Its provider is about to restart it: who finds it silent soon after knows why. */
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

  /** It was a node, and was wiped: whatever it runs now is none. */
  isOver({ files }: World, node: string): boolean {
    const names = (files.list(paths.takeovers(this.#folder, node)) ?? []).filter((name) => name.includes(KEPT));
    return names.at(-1)?.endsWith(OVER) ?? false;
  }

  /** Kept, but no longer believed. */
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

/** Later than now by more than that is long ago, too: by a clock that was set back since. */
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
