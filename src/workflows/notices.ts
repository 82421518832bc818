import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";

/** What the config allows but a person should know. */
export function warn({ bus }: Session, env: Environment): void {
  for (const { message, hint, where } of env.warnings) {
    const place = where ? `${where.file}:${where.line}:${where.column}  ` : "";
    bus.emit({ type: "notice", level: "warn", message: `${place}${message}`, hint });
  }
}
