import { ALL_STAGES } from "../../src/workflows/stages.ts";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { said, text } from "./invariants.ts";
import { FOLDER, type Scene } from "./scene.ts";

/** The state of the lab's Talos machines, as far as tests read it. */
export interface TalosInside {
  /** Every bootstrap that took place. */
  bootstraps: unknown[];
  etcd: Record<string, unknown>;
  disks: Record<string, { etcd?: unknown }>;
}

export function talosInside(scene: Scene): TalosInside {
  return scene.lab.state<TalosInside>("talos");
}

/** Invariants of a cluster after a recovery; each line is a violation. */
export async function clusterViolations(scene: Scene, files: VolatileFiles, secrets: string | undefined): Promise<string[]> {
  const found: string[] = [];
  const { bootstraps, etcd } = talosInside(scene);
  if (bootstraps.length !== 1) found.push(`etcd was bootstrapped ${bootstraps.length} times`);
  if (Object.keys(etcd).length !== 1) found.push(`there are ${Object.keys(etcd).length} etcd clusters`);
  if (secrets !== undefined && text(files, `${FOLDER}/secrets.yaml`) !== secrets) found.push("secrets.yaml was rewritten");
  const ours = (await scene.root.vms()).filter((vm) => (vm.config.tags ?? "").split(";").includes("talosmith"));
  const names = ours.map((vm) => vm.config.name).sort();
  if (new Set(names).size !== names.length) found.push(`a machine is there twice: ${names.join(" ")}`);
  const plan = await scene.plan(files, FOLDER, ALL_STAGES);
  if (plan.exitCode !== 0) found.push(`the plan is not empty: exit ${plan.exitCode}: ${said(plan)}`);
  return found;
}
