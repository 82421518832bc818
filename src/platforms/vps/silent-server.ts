import type { TalosmithError } from "@talosmith/lib/errors.ts";
import { NotYet, type Read } from "../../engine/step.ts";
import type { SurveyedDisk } from "../../takeover/survey.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import { knownFacts } from "./known-facts.ts";
import { fellSilent, noRescue, unfit } from "./problems.ts";
import { type History, isSameDisk } from "./records.ts";
import { type FitServer, type Look, lookAtServer, machineStepId, type Server } from "./server.ts";
import type { Site } from "./site.ts";

export interface SilentNode {
  site: Site;
  node: VpsNodeConfig;
  /** There were secrets before this command: the node may have been made by an earlier one. */
  established: boolean;
}

/** What is no problem any more once the rescue system runs. */
const GONE_IN_RESCUE: ReadonlySet<string> = new Set(["NOT_A_RESCUE_SYSTEM", "DISK_MOUNTED", "DISK_IN_USE"]);

/** Talos does not answer on a server: it starts just now (NotYet), fell silent, or was never there. Rejects with what keeps it from being overwritten. */
export async function silentServer({ site, node, established }: SilentNode, silent: string, c: Read): Promise<Server> {
  const history = site.records.history(c.world, node.name);
  const look = await lookAtServer(site, node, c);
  if (look.is === "seen" && look.judged.is === "fit") {
    const { disk, named, notes } = look.judged;
    return { is: "fit", disk, named, notes, network: look.survey.network, before: beforeOf(history, disk) };
  }
  if (look.is === "closed" && history.is === "starting") {
    // A worker shows itself only when a control plane has signed its certificate: who gives it its config waits for it, after those.
    if (node.role === "worker") return { is: "talos", facts: knownFacts(node, history.record) ?? { address: node.ip } };
    throw new NotYet({ later: machineStepId(node.name) }, `${node.name} was restarted into Talos: ${silent}`);
  }
  const problems = problemsOf(look);
  // What was a node once is not restarted behind its owner's back: whatever is wrong with it, its data may be good.
  if (site.provider && history.is !== "all" && problems.every(({ code }) => GONE_IN_RESCUE.has(code)))
    return elsewhere(look, established && !explained(site, node, c));
  if (look.is === "seen") throw unfit(node, problems);
  if (history.is === "all") throw fellSilent(site.env, node, history.record, silent, look.why);
  throw noRescue(site.env, node, silent, look.why);
}

function problemsOf(look: Look): readonly TalosmithError[] {
  return look.is === "seen" && look.judged.is === "unfit" ? look.judged.problems : [];
}

/** We know why it is silent: it restarts because we wanted it to, or was wiped. */
function explained({ records }: Site, { name }: VpsNodeConfig, { world }: Read): boolean {
  return records.entersRescue(world, name) || records.isOver(world, name);
}

/** Talos has no SSH server: whoever answers there, if only to refuse us, is no node. */
function elsewhere(look: Look, maybeNode: boolean): Server {
  if (look.is === "seen") return { is: "elsewhere", runs: "a system on its disk", maybeNode: false };
  const refused = look.why.code === "SSH_AUTH";
  return {
    is: "elsewhere",
    runs: refused ? "a system that does not let us in" : "nothing that answers",
    maybeNode: maybeNode && !refused,
  };
}

/** A server in its rescue system that should be starting Talos was not restarted after all, or was sent back there. */
function beforeOf(history: History, disk: SurveyedDisk): FitServer["before"] {
  if (history.is === "nothing" || history.is === "all") return history.is;
  return isSameDisk(history.record, disk) ? "a part" : "nothing";
}
