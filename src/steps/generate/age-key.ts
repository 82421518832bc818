import { basename } from "node:path";
import { createAgeIdentity, printAgeIdentity, readAgeIdentities } from "@talosmith/lib/age/identity.ts";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { type Ref, type Step, step } from "../../engine/step.ts";
import { keepCopy } from "../../environment/copies.ts";
import type { Environment } from "../../environment/environment.ts";
import { PRIVATE_FILE, paths } from "../../environment/folder.ts";

/** Outputs the recipient to which secrets are encrypted. */
export const ageKey: Ref<string> = { step: "generate/age-key" };

/** Whether an addon needs the environment's own key. */
export function wantsAgeKey({ config }: Environment): boolean {
  return config.addons.all.some(({ parts }) => parts.some(({ kind }) => kind === "age-key"));
}

/** The recipient of the environment's key, or undefined while it has none. */
export function readAgeRecipient(world: World, env: Environment, redactor: Redactor): string | undefined {
  const path = paths.ageKey(env.folder);
  const content = world.files.read(path);
  if (content === undefined) return undefined;
  const text = Buffer.from(content).toString("utf8");
  // The file's content is put into the cluster unchanged.
  redactor.learn(text);
  const found = readAgeIdentities(text);
  if ("line" in found) {
    throw userError("AGE_KEY", {
      message: `Unable to use ${env.shown}/${basename(path)}: ${found.why}`,
      where: { file: `${env.shown}/${basename(path)}`, line: found.line, column: 1 },
      hint: "restore the right file from your backup. Only if nothing is encrypted for it yet: delete it, and a new one is created",
    });
  }
  for (const { secret } of found.identities) redactor.learn(secret);
  return found.identities[0]?.recipient;
}

/** age.agekey: created once, never rewritten. All data encrypted to it is lost with it. */
export function ageKeyFile(env: Environment, redactor: Redactor): Step<string, string>[] {
  if (!wantsAgeKey(env)) return [];
  const path = paths.ageKey(env.folder);
  const file = basename(path);
  const id = ageKey.step;
  return [
    step({
      id,
      stage: "generate",
      title: file,
      observe: async (c) => {
        const actual = readAgeRecipient(c.world, env, redactor);
        return actual === undefined ? { is: "absent" } : { is: "present", actual, owner: "us" };
      },
      plan: (seen) =>
        "is" in seen && seen.is === "present" ? [] : [{ id, step: id, verb: "create", subject: file, fields: [] }],
      apply: async (_, c) => {
        const identity = createAgeIdentity(c.world.random);
        redactor.learn(identity.secret);
        await c.mutate({ key: file, what: `write ${file}` }, async () => {
          keepCopy(c.world, env.folder, path);
          writeDurably(c.world.files, path, printAgeIdentity(identity, c.world.clock), PRIVATE_FILE);
          return file;
        });
      },
      output: (actual) => actual,
    }),
  ];
}
