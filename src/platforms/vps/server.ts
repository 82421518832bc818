import { hasCode, TalosmithError } from "@talosmith/lib/errors.ts";
import type { SshTarget } from "@talosmith/lib/ssh/ssh.ts";
import type { Finding, Read } from "../../engine/step.ts";
import { type Judged, judge } from "../../takeover/judge/judge.ts";
import type { Shell } from "../../takeover/shell.ts";
import type { Survey, SurveyedDisk, SurveyedNetwork } from "../../takeover/survey.ts";
import type { MachineFacts } from "../platform.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import type { Site } from "./site.ts";

export const machineStepId = (node: string) => `machine/${node}`;

/** The state of a node's server. */
export type Server =
  | { is: "talos"; facts: MachineFacts }
  /** In its rescue system, with a disk that can be overwritten. */
  | FitServer
  /** It runs something else; its provider can start its rescue system. `maybeNode`: it could be an unreachable node of this cluster. */
  | { is: "elsewhere"; runs: string; maybeNode: boolean };

export interface FitServer {
  is: "fit";
  disk: SurveyedDisk;
  network: SurveyedNetwork;
  /** Whether the config names this very disk. */
  named: boolean;
  /** How far an earlier takeover came. All: it was a node. A part: its content was written by talosmith. */
  before: "nothing" | "all" | "a part";
  notes: readonly Finding[];
}

/** The result of an SSH login to a server. */
export type Look =
  | { is: "seen"; survey: Survey; judged: Judged }
  /** There is no answer, or the login is refused. */
  | { is: "closed"; why: TalosmithError };

/** Errors of a server that is off, restarts, or runs a system that refuses the login. A changed host key is not among them. */
const CLOSED = new Set(["SSH_UNREACHABLE", "SSH_AUTH", "SSH_COMMAND_LOST"]);

/** The result of a login, shared within a pass. */
export function lookAtServer(site: Site, node: VpsNodeConfig, c: Read): Promise<Look> {
  return c.shared(`server of ${node.name}`, () => lookNow(site, node, c));
}

/** Logs in and surveys the server now, for conditions that wait for a change. */
export async function lookNow(site: Site, node: VpsNodeConfig, c: Read): Promise<Look> {
  const look = () =>
    inServer(site, node, c, async (shell): Promise<Look> => {
      const survey = await site.hands.surveyServer(shell, c.signal);
      return { is: "seen", survey, judged: judgeServer(site, node, survey) };
    });
  try {
    // A server that is about to restart still accepts logins. The survey changes nothing, so it can be repeated.
    return await look().catch((error: unknown) => (isLost(error) ? look() : Promise.reject(error)));
  } catch (error) {
    c.signal.throwIfAborted();
    if (error instanceof TalosmithError && CLOSED.has(error.code)) return { is: "closed", why: error };
    throw error;
  }
}

function isLost(error: unknown): boolean {
  return hasCode(error, "SSH_COMMAND_LOST");
}

/** Runs `work` in an SSH session of its own, and closes it. */
export async function inServer<T>(site: Site, node: VpsNodeConfig, c: Read, work: (shell: Shell) => Promise<T>): Promise<T> {
  const shell = await site.hands.openShell(c.world, targetOf(node), c.signal);
  try {
    return await work(shell);
  } finally {
    shell.close();
  }
}

export function judgeServer({ env }: Site, node: VpsNodeConfig, survey: Survey): Judged {
  const { config } = env;
  return judge(survey, {
    name: node.name,
    address: node.ip,
    ...(node.installDisk !== undefined && { installDisk: node.installDisk }),
    ...(node.arch !== undefined && { arch: node.arch }),
    secureboot: config.image.secureboot,
    eraseMembers: node.eraseMembers,
    onlyCard: node.onlyCard ?? false,
    ...(node.mac !== undefined && { mac: node.mac }),
    ...(config.firewall && { admin: config.firewall.admin }),
    where: (path) => env.where(path),
  });
}

function targetOf({ name, ssh }: VpsNodeConfig): SshTarget & { firstKey: boolean } {
  return { ...ssh, section: `nodes[${name}].ssh` };
}
