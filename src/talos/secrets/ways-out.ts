import { ownCommand } from "@talosmith/lib/own-command.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { talosIdentity } from "../access/talosconfig.ts";
import { secretsFromConfig } from "./from-config.ts";

/** The files from which a lost secrets.yaml can be restored. */
export interface Remains {
  /** The environment's folder as the user wrote it. */
  shown: string;
  controlPlaneConfig: string;
  talosconfig: string;
}

/** A hint with the ways to restore a lost secrets.yaml, the best one for this folder first. */
export function waysOut(world: World, { shown, controlPlaneConfig, talosconfig }: Remains): string {
  const backup = "put secrets.yaml back, from a backup or another copy of this folder";
  if (holdsSecrets(read(world, controlPlaneConfig)))
    return `controlplane.yaml still exists and contains all secrets:  ${ownCommand("secrets", shown, "--from-config", `${shown}/controlplane.yaml`)}`;
  if (talosIdentity(read(world, talosconfig), world.clock.now()))
    return `${backup}; or, since talosconfig is still valid, get it from a control plane:  ${ownCommand("secrets", shown, "--from-node")}`;
  return `${backup}. There is no controlplane.yaml and no valid talosconfig here: without a backup the last option is the STATE partition of a control plane, read as root on its host (see the runbook). For a new cluster choose another cluster.name`;
}

function read(world: World, path: string): string {
  return Buffer.from(world.files.read(path) ?? []).toString("utf8");
}

function holdsSecrets(text: string): boolean {
  try {
    return text !== "" && secretsFromConfig(text, { file: "", redactor: new Redactor() }) !== undefined;
  } catch {
    return false;
  }
}
