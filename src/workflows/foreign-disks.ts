import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { deletionsIn, deletionWords, diskName } from "../engine/deletion.ts";
import { changesOf, type Plan } from "../engine/plan.ts";
import type { Change } from "../engine/step.ts";
import type { PastRun } from "../environment/runs.ts";
import { plannedIn, sinceSuccess } from "./unknown-names.ts";

/** Refuses to remove a machine with a disk that talosmith did not make, unless --destroy-disk names it. Neither --yes nor --allow-remove covers it. */
export function unnamedDisks(plan: Plan, named: readonly string[]): TalosmithError[] {
  return changesOf(plan).flatMap((change) => unnamedIn(change, named) ?? []);
}

function unnamedIn({ subject, verb, deletes = [] }: Change, named: readonly string[]): TalosmithError | undefined {
  const unnamed = deletes.filter((one) => one.foreign && !named.includes(diskName(one)));
  if (unnamed.length === 0) return undefined;
  const [host] = unnamed.flatMap(({ foreign }) => foreign?.host ?? []);
  // Disks of one machine are moved to the same VM, so commands that several disks need are printed once.
  const commands = [...new Set(unnamed.flatMap(({ foreign }) => foreign?.move ?? []))];
  const [which, they, it] = unnamed.length === 1 ? ["a disk", "it", "it"] : [`${unnamed.length} disks`, "they", "them"];
  return userError("FOREIGN_DISK", {
    message: `Unable to ${verb === "replace" ? "replace" : "remove"} ${subject}: it has ${which} that talosmith did not make, and ${they} would be deleted with the machine`,
    detail: unnamed.map(deletionWords).join("\n"),
    hint: [
      `as root on ${host}, to keep ${it} on a VM of ${unnamed.length === 1 ? "its" : "their"} own:`,
      ...commands.map((command) => `  ${command}`),
      `or, to delete ${it}, add:  ${unnamed.map((one) => `--destroy-disk ${diskName(one)}`).join(" ")}`,
      "Nothing was changed.",
    ].join("\n"),
  });
}

/** Refuses names that match no disk to be deleted. `before`: the runs before this one, newest first. */
export function unknownDisks(plan: Plan, named: readonly string[], before: () => readonly PastRun[]): TalosmithError[] {
  const there = deletionsIn(changesOf(plan));
  const missing = named.filter((name) => !there.some((one) => diskName(one) === name));
  if (missing.length === 0) return [];
  const gone = new Set(deletionsIn(plannedIn(sinceSuccess(before()))).map(diskName));
  const unknown = missing.filter((name) => !gone.has(name));
  if (unknown.length === 0) return [];
  return [
    userError("UNKNOWN_DISK", {
      message: `There is no disk ${unknown.join(", ")} that this command would delete`,
      detail: there.length === 0 ? "it would delete no disks" : ["it would delete:", ...there.map(deletionWords)].join("\n"),
      hint: "correct --destroy-disk NODE/SLOT, or leave it out. Nothing was changed.",
    }),
  ];
}
