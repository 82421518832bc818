import { asTalosmithError, hasCode } from "@talosmith/lib/errors.ts";
import type { Finding, Read } from "../../engine/step.ts";

/** How long a check looks again before it reports a problem. */
export interface Patience {
  /** While nothing shows progress. */
  stillMs: number;
  /** While all that is missing is on its way. */
  comingMs: number;
}

const MINUTE = 60_000;

/** Nodes restart and pods move after a change: long enough for a machine that was just restarted to come back. */
export const AFTER_CHANGES: Patience = { stillMs: 5 * MINUTE, comingMs: 10 * MINUTE };

/** For a cluster without changes: as long as etcd needs to elect another leader. */
export const AT_REST: Patience = { stillMs: 4_000, comingMs: 5 * MINUTE };

interface Repeated {
  /** The name of the condition. */
  name: string;
  patience: Patience;
  look(): Promise<Finding[]>;
  /** Whether a node is booting, which explains most problems. Called only when there are some. */
  booting(): Promise<boolean>;
}

/** Repeats a check until it passes or its patience is over. Returns the last findings. */
export async function eventually(c: Read, { name, patience, look, booting }: Repeated): Promise<Finding[]> {
  let found: Finding[] = [];
  const condition = {
    name,
    timeoutMs: patience.stillMs,
    poll: async () => {
      found = await look().catch((error: unknown) => [transientFinding(c, error)]);
      const wrong = found.filter((finding) => finding.level === "fail");
      if (wrong.length === 0) return true as const;
      const isComing = wrong.every(({ coming }) => coming) || (await booting());
      condition.timeoutMs = isComing ? patience.comingMs : patience.stillMs;
      return { reason: wrong.map((finding) => finding.message).join("; ") };
    },
  };
  try {
    await c.until(condition);
  } catch (error) {
    if (!hasCode(error, "TIMEOUT")) throw error;
  }
  return found.map(({ coming: _, ...finding }) => finding);
}

function transientFinding(c: Read, error: unknown): Finding {
  c.signal.throwIfAborted();
  const { code, message, detail, hint, transient } = asTalosmithError(error);
  if (!transient) throw error;
  return { level: "fail", code, message: detail ? `${message}: ${detail}` : message, ...(hint && { hint }) };
}
