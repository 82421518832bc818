import { basename } from "node:path";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { type Step, step } from "../../engine/step.ts";
import { keepCopy } from "../../environment/copies.ts";
import { type Environment, environmentId } from "../../environment/environment.ts";
import { PRIVATE_FILE, paths } from "../../environment/folder.ts";
import { settle } from "../../environment/place.ts";
import type { SecretsBundle } from "../../talos/secrets/bundle.ts";
import { createSecretsBundle } from "../../talos/secrets/create.ts";
import { environmentId as idOf } from "../../talos/secrets/environment-id.ts";
import { printSecrets } from "../../talos/secrets/print.ts";
import { readSecrets } from "../../talos/secrets/read.ts";

/** Reads the secrets, after they have been created. */
export function readBundle(world: World, env: Environment, redactor: Redactor): SecretsBundle {
  const bundle = findBundle(world, env, redactor);
  if (bundle) return bundle;
  throw userError("NO_SECRETS", {
    message: `There is no ${env.shown}/secrets.yaml`,
    hint: `create the cluster first (${ownCommand("up", env.shown)}), or restore the file from your backup`,
  });
}

function findBundle(world: World, env: Environment, redactor: Redactor): SecretsBundle | undefined {
  const path = paths.secrets(env.folder);
  const content = world.files.read(path);
  if (content === undefined) return undefined;
  const text = Buffer.from(content).toString("utf8");
  const last = lastRead.get(redactor);
  if (last?.text === text) return last.bundle;
  const bundle = readSecrets(text, { file: path, redactor });
  lastRead.set(redactor, { text, bundle });
  return bundle;
}

/** A command reads it about twenty times, and the validation of nine keys takes a while. The file itself is read each time, in case it changed. */
const lastRead = new WeakMap<Redactor, { text: string; bundle: SecretsBundle }>();

/** The environment's id, or undefined while it has no secrets. */
export function readEnvironmentId(world: World, env: Environment, redactor: Redactor): string | undefined {
  const bundle = findBundle(world, env, redactor);
  return bundle && idOf(env.config.cluster.name, bundle.cluster.id);
}

/** secrets.yaml: created once, never rewritten. All marks contain an id derived from it, so it is created before anything else. */
export function secretsBundle(env: Environment, redactor: Redactor): Step<string, string> {
  const path = paths.secrets(env.folder);
  const file = basename(path);
  const id = environmentId.step;
  return step({
    id,
    stage: "generate",
    title: file,
    observe: async (c) => {
      const actual = readEnvironmentId(c.world, env, redactor);
      return actual === undefined ? { is: "absent" } : { is: "present", actual, owner: "us" };
    },
    plan: (seen) => ("is" in seen && seen.is === "present" ? [] : [{ id, step: id, verb: "create", subject: file, fields: [] }]),
    apply: async (_, c) => {
      const bundle = await createSecretsBundle(c.world, { contract: env.config.cluster.contract, redactor });
      await c.mutate({ key: file, what: `write ${file}` }, async () => {
        keepCopy(c.world, env.folder, path);
        writeDurably(c.world.files, path, printSecrets(bundle), PRIVATE_FILE);
        settle(c.world, env, idOf(env.config.cluster.name, bundle.cluster.id));
        return file;
      });
    },
    output: (actual) => actual,
  });
}
