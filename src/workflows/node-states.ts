import type { NodeConfig } from "../config/config.ts";
import type { Session } from "../engine/context.ts";
import type { Level } from "../engine/result.ts";
import type { Field, Read } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { paths } from "../environment/folder.ts";
import { drift } from "../steps/bootstrap/node-config.ts";
import { daysLeft, RENEW_DAYS } from "../talos/access/access-problem.ts";
import { kubeconfigCertificate } from "../talos/access/kubeconfig.ts";
import { talosconfigCertificate } from "../talos/access/talosconfig.ts";
import type { TalosNodes } from "../talos/api/talos-nodes.ts";
import { keepVersions } from "../talos/config/kept-versions.ts";
import type { MachineConfig } from "../talos/config/machine-config.ts";
import { runningOn, runsInstaller } from "../talos/health/running-node.ts";
import type { Footnote } from "./status-table.ts";

/** The state of a node, for `status`. */
export interface NodeState {
  talos: string;
  /** "as configured", "3 fields differ"; empty when it cannot be asked. */
  config: string;
  /** Fields in which its config differs from the expected one. */
  differences: readonly string[];
  /** Whether it answers as a node of this cluster. */
  level: Level;
}

const NOT_OURS = { waiting: "waits for its config", silent: "silent", stranger: "in another cluster" };

/** Reads the Talos release and the machine config of a node. `wanted` is called only for a node of this cluster. */
export async function nodeState(
  c: Read,
  env: Environment,
  talos: TalosNodes,
  node: NodeConfig,
  wanted: (node: NodeConfig) => MachineConfig,
): Promise<NodeState> {
  const answering = await runningOn(c, talos, env.config, node);
  if (answering.is !== "ours") {
    const level = answering.is === "waiting" ? "warn" : "fail";
    return { talos: NOT_OURS[answering.is], config: "", differences: [], level };
  }
  const { version, running, stored } = answering.answer;
  const isInstalled = (installer: string) => runsInstaller(answering.answer, node, installer);
  const fields = drift(keepVersions(wanted(node), running, isInstalled).config, running, stored);
  return {
    talos: version,
    config: fields.length === 0 ? "as configured" : `${fields.length} ${fields.length === 1 ? "field differs" : "fields differ"}`,
    differences: fields.map(fieldWords),
    level: "ok",
  };
}

/** Values of fields that are or may be secret are not shown. */
function fieldWords({ path, from, to, secret }: Field): string {
  return secret ? `${path}: differs` : `${path}: is ${JSON.stringify(from)}, should be ${JSON.stringify(to)}`;
}

/** How long talosconfig and kubeconfig stay valid: "talosconfig is valid for 364 more days". */
export function accessLife({ world }: Session, env: Environment): Footnote[] {
  const files = [
    { name: "talosconfig", path: paths.talosconfig(env.folder), certificate: talosconfigCertificate },
    { name: "kubeconfig", path: paths.kubeconfig(env.folder), certificate: kubeconfigCertificate },
  ];
  return files.flatMap(({ name, path, certificate }): Footnote[] => {
    const content = world.files.read(path);
    if (content === undefined) return [];
    const pem = certificate(Buffer.from(content).toString("utf8"));
    const days = pem === undefined ? undefined : daysLeft(pem, world.clock.now());
    if (days === undefined) return [{ text: `${name} cannot be read; up writes it again`, level: "fail" }];
    if (days < 0) return [{ text: `${name} has expired; up renews it`, level: "fail" }];
    const isLate = days < RENEW_DAYS;
    return [{ text: `${name} is valid for ${days} more days${isLate ? "; up renews it" : ""}`, level: isLate ? "warn" : "ok" }];
  });
}
