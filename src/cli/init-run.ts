import { hasCode } from "@talosmith/lib/errors.ts";
import type { PlatformDefinition } from "../platforms/definition.ts";
import type { InitWishes } from "../platforms/init-answers.ts";
import { canAsk } from "../views/ask.ts";
import type { CiSystem } from "../workflows/ci-recipe.ts";
import { initEnvironment } from "../workflows/init.ts";
import { type CommandSession, INTERRUPTED } from "./session.ts";
import { VERSION } from "./version.ts";

/** Runs `init`, with questions on a terminal; the wizard is loaded only then. */
export async function runInit(
  session: CommandSession,
  platform: PlatformDefinition,
  folder: string,
  { ci, ...flags }: InitWishes & { yes?: boolean; force?: boolean; minimal?: boolean; json?: boolean; ci?: CiSystem },
): Promise<number> {
  const wishes = {
    ...flags,
    force: flags.force ?? false,

    ...(ci && { ci: { system: ci, version: VERSION } }),
  };
  if (flags.yes || flags.json || !canAsk()) return initEnvironment(session, platform, folder, wishes);
  const { LEFT, wizard } = await import("../views/wizard.ts");
  const asked = wizard(`A new environment in ${folder}`, session.signal);
  // Messages may contain answers of a server.
  const questions: typeof asked = { ...asked, say: (level, message) => asked.say(level, session.redactor.text(message)) };
  try {
    return await initEnvironment(session, platform, folder, wishes, questions);
  } catch (error) {
    if (!hasCode(error, LEFT)) throw error;
    questions.end("nothing was written");
    return INTERRUPTED;
  }
}
