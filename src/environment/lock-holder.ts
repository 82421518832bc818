import { join } from "node:path";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { shellWord } from "@talosmith/lib/shell-word.ts";
import type { Files, ProcessIdentity, ProcessState, World } from "@talosmith/lib/world/world.ts";
import { paths } from "./folder.ts";

/** The only file in a lock's folder. It is named after its nonce, so that it can be dated and searched without touching another holder's. */
export interface Holder extends ProcessIdentity {
  command: string;
  since: string;
  nonce: string;
}

export const recordName = (nonce: string) => `${nonce}.json`;
const RECORD = /^([0-9a-f]{16})\.json$/;

/** After this long without a sign of life the user may declare a holder dead; talosmith itself never does. */
const SILENT_MS = 60_000;

/** "unreadable": the lock exists but its content is damaged. */
export function readHolder(files: Files, lock: string): Holder | "unreadable" | undefined {
  const names = files.list(lock);
  if (names === undefined) return files.stat(lock)?.kind === "file" ? "unreadable" : undefined;
  if (names.length === 0) return undefined;
  const name = names.find((one) => RECORD.test(one));
  if (name === undefined) return "unreadable";
  const text = files.read(join(lock, name));
  // It was released this moment.
  if (text === undefined) return undefined;
  try {
    const holder = JSON.parse(Buffer.from(text).toString("utf8")) as Holder;
    const { host, bootId, pidNamespace, machineId, nonce } = holder;
    const sound = [host, bootId, pidNamespace, machineId].every((part) => typeof part === "string") && name === recordName(nonce);
    return sound ? holder : "unreadable";
  } catch {
    return "unreadable";
  }
}

interface Seen {
  holder: Holder;
  state: ProcessState;
  /** The time since its last sign of life; negative when the file system's clock was set back. */
  silentMs: number;
}

/**
 * `now` is the file system's time: the date of a file that was just written. So both dates are from one clock, independent of the clocks of the
 * computers that share the folder.
 */
export function lookAtHolder(world: World, folder: string, holder: Holder, now: number): Seen {
  const record = join(paths.lock(folder), recordName(holder.nonce));
  return {
    holder,
    state: world.processes.state(holder),
    silentMs: now - (world.files.stat(record)?.modifiedMs ?? now),
  };
}

export const isSilent = ({ silentMs }: Seen) => Math.abs(silentMs) >= SILENT_MS;

export function lockedBy(folder: string, seen: Seen): Error {
  const unlock = ownCommand("unlock", folder);
  const hints = {
    alive: "wait for it to end, or end it with Ctrl-C in its terminal",
    silent: `talosmith cannot check from here whether it still runs: it is on another computer or in another container. Check there; if it no longer runs:  ${unlock}`,
    recent: `wait for it to end: it was active within the last minute. If it was killed, wait one minute, then remove its lock:  ${unlock}`,
  };
  return userError("LOCKED", {
    message: `Another command is working on ${folder}`,
    detail: `${describe(seen.holder)}; last active: ${seen.silentMs < -SILENT_MS ? "dated in the future" : `${age(seen.silentMs)} ago`}`,
    hint: hints[seen.state === "alive" ? "alive" : isSilent(seen) ? "silent" : "recent"],
  });
}

export function lockUnreadable(folder: string): Error {
  return userError("LOCKED", {
    message: `Unable to lock ${folder}: the lock is damaged`,
    detail: `${paths.lock(folder)} is damaged`,
    hint: `if no talosmith works on it, on this or another computer:  rm -r ${shellWord(paths.lock(folder))}`,
  });
}

export function describe({ command, pid, host, since }: Holder): string {
  return `talosmith ${command}, process ${pid} on ${host}, since ${since}`;
}

const UNITS = [
  ["day", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

function age(ms: number): string {
  for (const [unit, size] of UNITS) {
    const count = Math.floor(ms / size);
    if (count > 0) return `${count} ${unit}${unit === "day" && count > 1 ? "s" : ""}`;
  }
  return `${Math.max(0, Math.floor(ms / 1000))} s`;
}
