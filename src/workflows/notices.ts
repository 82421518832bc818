import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";

/** Emits the config's warnings. */
export function warn({ bus }: Session, env: Environment): void {
  for (const { message, hint, where } of env.warnings) {
    const place = where ? `${where.file}:${where.line}:${where.column}  ` : "";
    bus.emit({ type: "notice", level: "warn", message: `${place}${message}`, hint });
  }
}
