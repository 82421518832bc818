import { TalosmithError } from "@talosmith/lib/errors.ts";
import { PLATFORMS } from "../platforms/all.ts";
import type { CommandSession } from "../platforms/command-session.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import type { Asking } from "../platforms/definition.ts";

/**
 * Runs a command. If the only problem of the config is that it does not identify the infrastructure, the platform shows the certificate to
 * the user, writes it into the config once it is confirmed, and the command runs again. No flag confirms it.
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
  // The config cannot be read yet: the section with the problem names the platform.
  const platform = PLATFORMS.find(({ name }) => problems.every((problem) => problem.startsWith(`${name}.`)));
  return (
    problems.length > 0 &&
    ((await platform?.trustOnFirstUse?.({ ...session, platforms: PLATFORM_CONFIGS }, folder, problems, ask)) ?? false)
  );
}
