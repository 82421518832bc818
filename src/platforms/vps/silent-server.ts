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

/** Problems that disappear once the rescue system runs. */
const GONE_IN_RESCUE: ReadonlySet<string> = new Set(["NOT_A_RESCUE_SYSTEM", "DISK_MOUNTED", "DISK_IN_USE"]);

/**
 * The state of a server on which Talos does not answer: it is starting (NotYet), stopped answering, or was never installed. Rejects with the reason
 * why it must not be overwritten.
 */
export async function silentServer({ site, node, established }: SilentNode, silent: string, c: Read): Promise<Server> {
  const history = site.records.history(c.world, node.name);
  const look = await lookAtServer(site, node, c);
  if (look.is === "seen" && look.judged.is === "fit") {
    const { disk, named, notes } = look.judged;
    return { is: "fit", disk, named, notes, network: look.survey.network, before: beforeOf(history, disk) };
  }
  if (look.is === "closed" && history.is === "starting") {
    // A worker answers only when a control plane has signed its certificate, so the step that applies its config waits for it.
    if (node.role === "worker") return { is: "talos", facts: knownFacts(node, history.record) ?? { address: node.ip } };
    throw new NotYet({ later: machineStepId(node.name) }, `${node.name} was restarted into Talos: ${silent}`);
  }
  const problems = problemsOf(look);
  // A former node is not restarted without the user: its data may be intact.
  if (site.provider && history.is !== "all" && problems.every(({ code }) => GONE_IN_RESCUE.has(code)))
    return elsewhere(look, established && !explained(site, node, c));
  if (look.is === "seen") throw unfit(node, problems);
  if (history.is === "all") throw fellSilent(site.env, node, history.record, silent, look.why);
  throw noRescue(site.env, node, silent, look.why);
}

function problemsOf(look: Look): readonly TalosmithError[] {
  return look.is === "seen" && look.judged.is === "unfit" ? look.judged.problems : [];
}

/** Whether its silence is explained: it was restarted on purpose, or wiped. */
function explained({ records }: Site, { name }: VpsNodeConfig, { world }: Read): boolean {
  return records.entersRescue(world, name) || records.isOver(world, name);
}

/** Talos has no SSH server: a machine that answers there, even with a refusal, is not a node. */
function elsewhere(look: Look, maybeNode: boolean): Server {
  if (look.is === "seen") return { is: "elsewhere", runs: "a system on its disk", maybeNode: false };
  const refused = look.why.code === "SSH_AUTH";
  return {
    is: "elsewhere",
    runs: refused ? "a system that refuses the SSH login" : "nothing that answers",
    maybeNode: maybeNode && !refused,
  };
}

/** How far an earlier takeover of a server in its rescue system came. One that should be starting Talos was not restarted, or was sent back there. */
function beforeOf(history: History, disk: SurveyedDisk): FitServer["before"] {
  if (history.is === "nothing" || history.is === "all") return history.is;
  return isSameDisk(history.record, disk) ? "a part" : "nothing";
}
