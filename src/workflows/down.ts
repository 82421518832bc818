import type { Workflow } from "./workflow.ts";

/** Everything `down` does: what is ours goes, nothing else is looked at. */
export const down: Workflow = ({ platform, found }) => found.owned.flatMap((owned) => platform.removal(owned, undefined));
