import { asTalosmithError, hasCode } from "@talosmith/lib/errors.ts";
import type { Finding, Read } from "../../engine/step.ts";

/** Long enough for a machine that was just restarted to come back. */
const PATIENCE_MS = 5 * 60_000;

/** Repeats a check until it passes or the time is over, since nodes restart and pods move after a change. Returns the last findings. */
export async function eventually(
  name: string,
  c: Read,
  look: () => Promise<Finding[]>,
  patienceMs = PATIENCE_MS,
): Promise<Finding[]> {
  let found: Finding[] = [];
  try {
    await c.until({
      name,
      timeoutMs: patienceMs,
      poll: async () => {
        found = await look().catch((error: unknown) => {
          c.signal.throwIfAborted();
          const { code, message, detail, hint, transient } = asTalosmithError(error);
          if (!transient) throw error;
          return [{ level: "fail" as const, code, message: detail ? `${message}: ${detail}` : message, ...(hint && { hint }) }];
        });
        const wrong = found.filter((finding) => finding.level === "fail");
        return wrong.length === 0 ? true : { reason: wrong.map((finding) => finding.message).join("; ") };
      },
    });
  } catch (error) {
    if (!hasCode(error, "TIMEOUT")) throw error;
  }
  return found;
}
