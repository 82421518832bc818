import { userError } from "@talosmith/lib/errors.ts";
import { sameCommand } from "@talosmith/lib/own-command.ts";
import { deletionWords } from "../engine/deletion.ts";
import { changesOf, type Plan } from "../engine/plan.ts";
import type { PlanResult } from "../engine/result.ts";
import type { Change } from "../engine/step.ts";

/** Names given in flags: the user agrees to the removal of these. */
export interface Consent {
  command: string;
  /** The environment's folder as typed. */
  shown: string;
  /** Nodes that may be removed or replaced. */
  allowRemove: readonly string[];
  /** Nodes that may be removed with the only copy of Kubernetes volumes. */
  allowVolumeLoss?: readonly string[];
}

/** Removes the mark "needs consent" from changes that a flag allows. */
export function withConsent(result: PlanResult, { allowRemove }: Pick<Consent, "allowRemove">): PlanResult {
  const isGiven = ({ needsConsent: name }: Change) => name !== undefined && allowRemove.includes(name);
  const changes = result.changes.map((change) => {
    const { needsConsent: _, ...rest } = change;
    return isGiven(change) ? rest : change;
  });
  return { ...result, changes };
}

/** Errors for nodes that would be removed or replaced although no flag names them. */
export function unconsented(plan: Plan, consent: Consent) {
  const refused = changesOf(plan).filter((change) => change.needsConsent && !consent.allowRemove.includes(change.needsConsent));
  const names = [...new Set(refused.flatMap((change) => change.needsConsent ?? []))];
  // The last change of a node is the removal of its machine, which is worth reporting.
  return names.flatMap((name) => {
    const last = refused.filter((change) => change.needsConsent === name).at(-1);
    return last ? [needsConsent(last, names, consent)] : [];
  });
}

/** Errors for Kubernetes volumes that would be lost although no flag allows it. */
export function lostVolumes(plan: Plan, { allowVolumeLoss = [], command, shown }: Consent) {
  return changesOf(plan).flatMap(({ interrupts, loses = [] }) => {
    if (interrupts === undefined || loses.length === 0 || allowVolumeLoss.includes(interrupts)) return [];
    return userError("VOLUMES_LOST", {
      message: `Unable to remove ${interrupts}: it has the only copy of ${loses.length} Kubernetes volume${loses.length === 1 ? "" : "s"}`,
      detail: loses.join("\n"),
      hint: `copy the data first; or accept the loss:  ${sameCommand(command, shown, "--allow-volume-loss", ...(command === "up" ? [interrupts] : []))}\nNothing was changed.`,
    });
  });
}

function needsConsent(change: Change, names: readonly string[], { command, shown }: Pick<Consent, "command" | "shown">) {
  const fields = change.fields.map((field) => `${field.path}: ${String(field.from)} → ${String(field.to ?? "gone")}`);
  const deletes = (change.deletes ?? []).map((one) => `deletes ${deletionWords(one)}`);
  const lost = change.fields.some((field) => field.path === "etcd" && field.to === "lost");
  const replaced = change.verb === "replace";
  return userError("CONSENT_NEEDED", {
    message: `${
      replaced
        ? `${change.subject} would have to be replaced: removed with its disk and created again`
        : `${change.subject} is no longer in the config and would be removed with its disk`
    }${lost ? ". No control plane that stays has a copy of etcd: everything in the cluster would be lost with it" : ""}`,
    detail: [...fields, ...deletes].join("\n"),
    hint:
      command === "up"
        ? `if that is what you want:  ${sameCommand(command, shown, ...names.flatMap((name) => ["--allow-remove", name]))}\notherwise ${replaced ? "put the old value back into" : "put it back into"} the config. Nothing was changed.`
        : `${command} is about another node: put ${replaced ? "the old value" : "it"} back into the config until it has ended. Nothing was changed.`,
  });
}
