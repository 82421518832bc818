import { TalosmithError } from "@talosmith/lib/errors.ts";
import { PLATFORMS } from "../platforms/all.ts";
import type { CommandSession } from "../platforms/command-session.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import type { Asking } from "../platforms/definition.ts";

/**
 * Runs a command. When all that is wrong with the config is that it does not say how to recognise the infrastructure, the platform shows what
 * there is to the person, writes what they confirm into the config, and the command runs again. No flag confirms.
 */
export async function withFirstUse<T>(
  session: CommandSession,
  folder: string,
  ask: Asking | undefined,
  command: () => Promise<T>,
): Promise<T> {
  try {
    return await command();
  } catch (error) {
    if (!(await isTrustedNow(session, folder, error, ask))) throw error;
  }
  return command();
}

async function isTrustedNow(session: CommandSession, folder: string, error: unknown, ask?: Asking): Promise<boolean> {
  if (!(error instanceof TalosmithError) || error.code !== "CONFIG_INVALID") return false;
  const problems = error.problems.map(({ message }) => message);
  // The config cannot be read yet; which section is wrong says whose platform it is.
  const platform = PLATFORMS.find(({ name }) => problems.every((problem) => problem.startsWith(`${name}.`)));
  return (
    problems.length > 0 &&
    ((await platform?.trustOnFirstUse?.({ ...session, platforms: PLATFORM_CONFIGS }, folder, problems, ask)) ?? false)
  );
}
