import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Session } from "../engine/context.ts";
import { environmentFolder } from "../environment/environment.ts";
import { takeLockAway } from "../environment/lock.ts";

/** `talosmith unlock`: removes the lock of a command that the user knows to be dead. Refuses while it shows signs of life. */
export async function unlock({ world, bus }: Session, shown: string): Promise<number> {
  const holder = takeLockAway(world, environmentFolder(world, shown));
  bus.emit({
    type: "result",
    result: {
      kind: "facts",
      name: "unlock",
      title: holder === undefined ? `${shown} is not locked` : `${shown} is unlocked`,
      facts: holder === undefined ? [] : [{ key: "holder", label: "was held by", value: holder }],
      next: holder === undefined ? [] : [ownCommand("runs", shown), ownCommand("plan", shown)],
    },
  });
  return 0;
}
