import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Platforms } from "../config/platform.ts";
import type { Session } from "../engine/context.ts";

/** A command's session, with the redactor that keeps its secrets out of everything that is shown. */
export type CommandSession = Session & { redactor: Redactor };

/** A session for a platform that reads or writes a config: a config names all platforms, and no platform knows the others. */
export type PlatformSession = CommandSession & { platforms: Platforms };
