import { parse } from "yaml";
import type { VolatileFiles } from "../support/volatile-files.ts";
import { FOLDER, type Outcome } from "./commands.ts";
import { text } from "./invariants.ts";

/** Keys of secrets.yaml that hold secrets: keys, tokens, and encryption secrets. */
const SECRET = /^(key|token|secret|bootstraptoken|.*encryptionsecret)$/i;

function secretsIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return SECRET.test(name) && value.length >= 12 ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, key));
}

/** Secrets in a command's output, and errors without the necessary information. */
export function saidWrong(files: VolatileFiles, outcome: Outcome, more: readonly string[]): string[] {
  const secrets = [...secretsIn(parse(text(files, `${FOLDER}/secrets.yaml`) ?? "")), ...more.filter((one) => one.length >= 12)];
  const everything = JSON.stringify(outcome.events);
  const escaped = (secret: string) => JSON.stringify(secret).slice(1, -1);
  const leaks = secrets.filter((secret) => everything.includes(escaped(secret)));
  const errors = outcome.events.flatMap((event) =>
    (event.type === "error" || event.type === "step.finished") && event.error ? [event.error] : [],
  );
  return [
    ...leaks.map((secret) => `a secret was said: ${secret.slice(0, 4)}…`),
    ...errors.filter(({ kind }) => kind === "internal").map(({ code, message }) => `internal error ${code}: ${message}`),
    ...errors
      .filter(
        ({ kind, code, hint, message }) => kind !== "internal" && (!code || message.length < 8 || (kind === "user" && !hint)),
      )
      .map(({ code, message }) => `an error that says too little: ${code}: ${message}`),
  ];
}
