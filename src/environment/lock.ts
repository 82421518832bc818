import { join } from "node:path";
import { makeFolderDurably, removeQuietly } from "../lib/durable.ts";
import { userError } from "../lib/errors.ts";
import { shellWord } from "../lib/shell-word.ts";
import { fileError } from "../lib/world/file-errors.ts";
import type { Files, ProcessIdentity, World } from "../lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "./folder.ts";
import { sweep } from "./sweep.ts";

interface Holder extends ProcessIdentity {
  command: string;
  since: string;
  /** Tells two locks of one process apart. */
  nonce: string;
}

export interface Lock {
  /** Throws when somebody took it away. */
  check(): void;
  release(): void;
}

const TRIES = 20;

/** One command at a time may change an environment. A dead holder's lock is taken over; another host's never without being told to. */
export function lockEnvironment(world: World, folder: string, command: string, takeFrom?: string): Lock {
  const { files } = world;
  const path = paths.lock(folder);
  makeFolderDurably(files, paths.state(folder), PRIVATE_FOLDER);
  const nonce = Buffer.from(world.random.bytes(8)).toString("hex");
  const me: Holder = { ...world.processes.self(), command, since: new Date(world.clock.now()).toISOString(), nonce };
  const mine = join(paths.state(folder), `lock.${nonce}`);
  try {
    prepare(files, mine, path, me);
    for (let attempt = 0; ; attempt++) {
      // Made whole beforehand and put in place by its name alone: a lock without a holder never exists.
      if (files.link(mine, path)) break;
      const holder = readHolder(world, path);
      if (attempt >= TRIES || (holder && !mayTake(world, holder, takeFrom))) throw held(folder, holder);
      if (holder) setAside(world, path, holder);
    }
  } finally {
    removeQuietly(files, mine);
  }
  const stillMine = () => readHolder(world, path)?.nonce === nonce;
  const release = () => {
    if (stillMine()) files.remove(path);
  };
  try {
    files.syncFolder(paths.state(folder));
    sweep(world, folder);
  } catch (error) {
    quietly(release);
    throw error;
  }
  return {
    check() {
      if (!stillMine()) throw held(folder, readHolder(world, path));
    },
    // One that stays is a dead process's soon, and the next command takes it over.
    release: () => quietly(release),
  };
}

/** Under a name that nobody need hear of. */
function prepare(files: Files, mine: string, path: string, me: Holder): void {
  try {
    files.write(mine, Buffer.from(JSON.stringify(me)), PRIVATE_FILE);
    files.sync(mine);
  } catch (error) {
    throw fileError(error, "write", path);
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // What it was called for has ended, well or not, and that is what is told.
  }
}

const NOBODY_KNOWN: Holder = {
  pid: 0,
  startedAt: "",
  bootId: "",
  host: "an unknown host",
  command: "an unknown command",
  since: "an unknown time",
  nonce: "",
};

function readHolder(world: World, path: string): Holder | undefined {
  const text = world.files.read(path);
  if (!text) return undefined;
  try {
    const holder = JSON.parse(Buffer.from(text).toString("utf8")) as Holder;
    return [holder.host, holder.nonce, holder.bootId].every((part) => typeof part === "string") ? holder : NOBODY_KNOWN;
  } catch {
    return NOBODY_KNOWN;
  }
}

function mayTake(world: World, holder: Holder, takeFrom: string | undefined): boolean {
  const state = world.processes.state(holder);
  return state === "dead" || (state === "elsewhere" && takeFrom === holder.host);
}

/** Two may find the same dead lock: whoever moved it away looks whether it was that one, and puts back a living one. */
function setAside(world: World, path: string, dead: Holder): void {
  const { files } = world;
  const aside = `${path}.${Buffer.from(world.random.bytes(8)).toString("hex")}`;
  try {
    files.rename(path, aside);
  } catch (error) {
    if (files.stat(path) === undefined) return;
    throw error;
  }
  if (readHolder(world, aside)?.nonce !== dead.nonce) files.link(aside, path);
  files.remove(aside);
}

function held(folder: string, holder: Holder | undefined) {
  if (!holder)
    return userError("LOCKED", { message: `Unable to lock ${folder}`, hint: "other commands are taking turns on it; try again" });
  if (holder.nonce === "")
    return userError("LOCKED", {
      message: `Unable to lock ${folder}: who holds the lock cannot be read`,
      detail: `${paths.lock(folder)} is not as talosmith wrote it`,
      hint: `when you are sure that no talosmith works on it, here or on another machine:  rm ${shellWord(paths.lock(folder))}`,
    });
  const who = `talosmith ${holder.command}, process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  return userError("LOCKED", {
    message: `Another command is working on ${folder}`,
    detail: who,
    hint: `wait for it to end. If ${holder.host} is another machine and you are sure that nothing runs there any more, say so with --take-lock-from ${holder.host}`,
  });
}
