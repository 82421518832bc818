import type { CommonFlags } from "./flags.ts";
import type { CommandSession } from "./session.ts";

/** Asks the user to confirm the infrastructure's certificate on the first connection. --yes does not confirm it. */
export async function onFirstUse<T>(
  session: CommandSession,
  folder: string,
  flags: CommonFlags,
  command: () => Promise<T>,
): Promise<T> {
  const { withFirstUse } = await import("../workflows/first-use.ts");
  const { ask, canAsk } = await import("../views/ask.ts");
  const asking = canAsk() && !flags.json ? (question: string) => ask(question, session.signal) : undefined;
  return withFirstUse(session, folder, asking, command);
}
