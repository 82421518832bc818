import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { isLocal } from "@talosmith/lib/world/wire.ts";
import type { Dial, World } from "@talosmith/lib/world/world.ts";
import { startedWith } from "./lab-folder.ts";

/** The world of a command that uses a lab: a connection that fails because the lab has stopped or has other addresses now says so. */
export function worldWithLab(world: World, folder: string): World {
  const dial: World["net"]["dial"] = async (to, signal) => {
    try {
      return await world.net.dial(to, signal);
    } catch (error) {
      if (signal?.aborted || to.over !== undefined || !isLocal(to.host)) throw error;
      throw (await labGone(world, folder, to)) ?? error;
    }
  };
  return { ...world, net: { ...world.net, dial } };
}

/** Returns the error if the lab of this folder has ended, or has moved away from the address that was dialled. */
export async function labGone(world: World, folder: string, to?: Dial) {
  const { readLab } = await import("@talosmith/lab/host/lab-file.ts");
  const lab = readLab(world, folder);
  const words = new TextDecoder()
    .decode(world.files.read(startedWith(folder)))
    .trimEnd()
    .split("\n");
  const start = ownCommand("lab start", ...words);
  if (lab === undefined)
    return userError("LAB_GONE", {
      message: `The lab of ${words[0]} is not running`,
      detail: `${to === undefined ? "its process has ended" : `nothing answers at ${to.host}:${to.port}`}; the machines of a lab exist only while it runs`,
      hint: `start it again, with no machines in it:  ${start}`,
    });
  const prefix = lab.block.split(".").slice(0, 3).join(".");
  if (to === undefined || to.host.startsWith(`${prefix}.`)) return undefined;
  return userError("LAB_GONE", {
    message: `The lab of ${words[0]} is not at ${to.host} any more`,
    detail: `it runs at ${lab.block} now, because its former addresses were in use when it was started`,
    hint: `change the addresses in its config.yaml, and write its wire file again, if you use one:  ${start}`,
  });
}
