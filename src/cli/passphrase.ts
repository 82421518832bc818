import { userError } from "@talosmith/lib/errors.ts";
import { canAsk } from "../views/ask.ts";
import type { TypedPassphrase } from "../workflows/backup-keys.ts";

/** Asks for a passphrase on a terminal; the wizard is loaded only then. */
export function typePassphrase(flags: { json?: boolean }, signal: AbortSignal): TypedPassphrase {
  return async (how) => {
    if (flags.json || !canAsk()) return undefined;
    const { wizard } = await import("../views/wizard.ts");
    const questions = wizard("Passphrase of the backup", signal);
    const first = await questions.secret({ message: "Passphrase" });
    if (how === "once" || (await questions.secret({ message: "Repeat the passphrase" })) === first) return first;
    throw userError("PASSPHRASE", {
      message: "The two passphrases differ",
      hint: "run the same command again. Nothing was changed.",
    });
  };
}
