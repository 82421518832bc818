import type { Workflow } from "./workflow.ts";

/** Everything `down` does: what is ours goes, nothing else is looked at. */
export const down: Workflow = ({ platform, found }) => {
  const ours = [...found.owned, ...(found.unseen ?? [])];
  const machines = ours.flatMap((owned) => platform.removal(owned, undefined));
  const after = machines.map((item) => item.out);
  return [...machines, ...(platform.remains?.(found, after) ?? [])];
};
