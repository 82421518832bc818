import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Shell } from "../shell.ts";
import { RESTART } from "./commands.ts";

/** Restarts the server. Its response may be lost. */
export async function leave(shell: Shell, signal?: AbortSignal): Promise<void> {
  try {
    await shell.run(RESTART, signal ? { signal } : {});
  } catch (error) {
    if (!(error instanceof TalosmithError && error.code === "SSH_COMMAND_LOST")) throw error;
  }
}
