import { type Command, InvalidArgumentError } from "commander";
import type { RehearsalEvent } from "../rehearsal/events.ts";
import { type CommonFlags, command, ENVIRONMENT } from "./flags.ts";

const EXAMPLES = `  talosmith rehearse environments/homelab                      up, verify, an empty plan and down
  talosmith rehearse environments/homelab --lose-host pve2     and what happens when a host loses power
  talosmith rehearse environments/homelab --scale worker=5 --lose-node worker-3
  talosmith rehearse environments/homelab --faults 20 --seed 7 a second up in which 20 calls fail
  talosmith rehearse environments/homelab --like-real          fails where the real site would refuse it

Events happen in the order of their flags. Exit code 0: everything passed.`;

interface RehearseFlags extends CommonFlags {
  seed: string;
  faults?: number;
  likeReal?: boolean;
}

export function rehearseCommand(): Command {
  // Three flags fill one list, because their order matters.
  const events: RehearsalEvent[] = [];
  const losing = (is: "lose-host" | "lose-node") => (name: string) => void events.push({ is, name });
  return command(
    "rehearse",
    "Run the unchanged config against a simulated datacenter that is shaped from it. Contacts nothing else, unless --like-real reads from the real site, and changes no file.",
    EXAMPLES,
  )
    .argument(...ENVIRONMENT)
    .option("--lose-host <host>", "a host loses power and gets it back (repeatable)", losing("lose-host"))
    .option("--lose-node <node>", "a node's machine loses power (repeatable)", losing("lose-node"))
    .option("--scale <pool=count>", "change the count of an entry of nodes, then run up (repeatable)", (text: string) => {
      events.push(scaling(text));
    })
    .option("--faults <count>", "run up a second time, in which this many calls fail once", faults)
    .option("--like-real", "copy versions, free memory and space, devices and rights from the real site, which is only read")
    .option("--seed <text>", "seed of the lab and of the faults: the same seed gives the same lab and faults", "talosmith")
    .action(async (folder: string, flags: RehearseFlags) => {
      const { inSession } = await import("./session.ts");
      const { rehearse } = await import("../rehearsal/rehearse.ts");
      const { reportView } = await import("../views/report-view.ts");
      const { duration } = await import("../views/duration.ts");
      const wish = {
        seed: flags.seed,
        events,
        likeReal: flags.likeReal === true,
        ...(flags.faults !== undefined && { faults: flags.faults }),
      };
      await inSession(flags, (session) => rehearse(session, folder, wish, { report: reportView, duration }));
    });
}

function scaling(text: string): RehearsalEvent {
  const [, name, count] = /^([^=\s]+)=(\d{1,3})$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("Write an entry of nodes and its count, such as worker=5.");
  return { is: "scale", name, count: Number(count) };
}

function faults(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0 && count <= 1000) return count;
  throw new InvalidArgumentError("It must be a whole number from 1 to 1000.");
}
