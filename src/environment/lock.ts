import { join } from "node:path";
import { makeFolderDurably } from "../lib/durable.ts";
import { userError } from "../lib/errors.ts";
import type { ProcessIdentity, World } from "../lib/world/world.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER, paths } from "./folder.ts";

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
  files.write(mine, Buffer.from(JSON.stringify(me)), PRIVATE_FILE);
  files.sync(mine);
  try {
    for (let attempt = 0; ; attempt++) {
      // Made whole beforehand and put in place by its name alone: a lock without a holder never exists.
      if (files.link(mine, path)) break;
      const holder = readHolder(world, path);
      if (holder && mayTake(world, holder, takeFrom)) setAside(world, path, holder);
      else if (holder || attempt >= TRIES) throw held(folder, holder);
    }
  } finally {
    files.remove(mine);
  }
  files.syncFolder(paths.state(folder));
  const stillMine = () => readHolder(world, path)?.nonce === nonce;
  return {
    check() {
      if (!stillMine()) throw held(folder, readHolder(world, path));
    },
    release() {
      if (stillMine()) files.remove(path);
    },
  };
}

function readHolder(world: World, path: string): Holder | undefined {
  const text = world.files.read(path);
  if (!text) return undefined;
  try {
    return JSON.parse(Buffer.from(text).toString("utf8")) as Holder;
  } catch {
    return {
      pid: 0,
      startedAt: "",
      bootId: "",
      host: "an unknown host",
      command: "an unknown command",
      since: "an unknown time",
      nonce: "",
    };
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
  } catch {
    return;
  }
  if (readHolder(world, aside)?.nonce !== dead.nonce) files.link(aside, path);
  files.remove(aside);
}

function held(folder: string, holder: Holder | undefined) {
  if (!holder)
    return userError("LOCKED", { message: `Unable to lock ${folder}`, hint: "other commands are taking turns on it; try again" });
  const who = `talosmith ${holder.command}, process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  return userError("LOCKED", {
    message: `Another command is working on ${folder}`,
    detail: who,
    hint: `wait for it to end. If ${holder.host} is another machine and you are sure that nothing runs there any more, say so with --take-lock-from ${holder.host}`,
  });
}
