import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { ProcessIdentity } from "@talosmith/lib/world/world.ts";
import { lockEnvironment, takeLockAway } from "../../src/environment/lock.ts";
import { testWorld } from "../support/test-world.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { FOLDER } from "./commands.ts";

const LOCK = `${FOLDER}/.talosmith/lock`;

const BESIDE = "a process beside it";

/** Other processes that share the folder with a running command; only one in the same pid namespace can see its process. */
const RIVALS: Record<string, Partial<ProcessIdentity>> = {
  [BESIDE]: {},
  "a container on the same machine": { pidNamespace: "pid:[4026532281]", machineId: "" },
  "another machine of the same name": { bootId: "another", machineId: "another" },
  "another machine": { bootId: "another", machineId: "another", host: "elsewhere" },
};

export const isLocked = (files: VolatileFiles) => files.stat(LOCK) !== undefined;

/** Processes that could take the lock at this moment, while a command holds it: there must be none. The folder itself is not changed. */
export function secondHolders(files: VolatileFiles): string[] {
  const [record = ""] = files.list(LOCK) ?? [];
  const holder = files.read(`${LOCK}/${record}`);
  if (holder === undefined) return [];
  const { pid } = JSON.parse(Buffer.from(holder).toString("utf8")) as ProcessIdentity;
  // A refused process leaves nothing behind, so one copy is enough.
  const copy = files.afterKill();
  return Object.entries(RIVALS).flatMap(([who, where]) => {
    const world = () => testWorld({ files: copy, self: { pid: 1, ...where }, alive: who === BESIDE ? [pid] : [] });
    const ways = {
      "got it": () => lockEnvironment(world(), FOLDER, "up").release(),
      "took it away": () => void takeLockAway(world(), FOLDER),
    };
    return Object.entries(ways).flatMap(([how, take]) => (isRefused(take) ? [] : [`${who} ${how}`]));
  });
}

function isRefused(take: () => void): boolean {
  try {
    take();
    return false;
  } catch (error) {
    if (error instanceof TalosmithError && error.code === "LOCKED") return true;
    throw error;
  }
}
