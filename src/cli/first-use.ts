import type { CommonFlags } from "./flags.ts";
import type { CommandSession } from "./session.ts";

/** Lets a person confirm an infrastructure that is met for the first time. --yes does not: it cannot know. */
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
