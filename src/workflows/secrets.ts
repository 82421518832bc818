import { join } from "node:path";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { asTalosmithError, userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { Session } from "../engine/context.ts";
import { requireClock } from "../environment/clock.ts";
import type { Environment } from "../environment/environment.ts";
import { PRIVATE_FILE, paths, remainsOf } from "../environment/folder.ts";
import { lockEnvironment } from "../environment/lock.ts";
import { settle } from "../environment/place.ts";
import { openEnvironment } from "../platforms/environment.ts";
import { talosIdentity } from "../talos/access/talosconfig.ts";
import { talosNodeAs } from "../talos/api/node-as.ts";
import type { SecretsBundle } from "../talos/secrets/bundle.ts";
import { environmentId } from "../talos/secrets/environment-id.ts";
import { secretsFromConfig } from "../talos/secrets/from-config.ts";
import { secretsFromKubernetesPki } from "../talos/secrets/from-kubernetes-pki.ts";
import { printSecrets } from "../talos/secrets/print.ts";
import { waysOut } from "../talos/secrets/ways-out.ts";
import { nodeWorld } from "./reach.ts";

export type SecretsOrigin =
  | { from: "config"; file: string }
  | { from: "kubernetes"; folder: string; tokenFile: string }
  /** A running control plane, asked with an existing talosconfig. */
  | { from: "node"; name?: string; talosconfig?: string };

type SecretsSession = Session & { redactor: Redactor };

/** `talosmith secrets`: writes a secrets.yaml with the values of an existing cluster. Never replaces one. */
export async function takeSecrets(session: SecretsSession, folder: string, origin: SecretsOrigin | undefined): Promise<number> {
  const { world, bus, redactor } = session;
  const env = openEnvironment(world, folder, redactor);
  requireClock(world);
  const lock = lockEnvironment(world, env.folder, "secrets");
  try {
    const path = paths.secrets(env.folder);
    if (world.files.stat(path) !== undefined)
      throw userError("SECRETS_EXIST", {
        message: `${env.shown}/secrets.yaml already exists`,
        hint: "it is the identity of a cluster and is never replaced. If it is the wrong one, move it away first. Nothing was changed.",
      });
    if (origin === undefined)
      throw userError("SECRETS_ORIGIN", {
        message: `There is no ${env.shown}/secrets.yaml, and no source was given`,
        hint: `for a new cluster run up; for an existing one: ${waysOut(world, remainsOf(env))}`,
      });
    const { bundle, from } = await bundleOf(session, env, origin);
    lock.check();
    const id = environmentId(env.config.cluster.name, bundle.cluster.id);
    writeDurably(world.files, path, printSecrets(bundle), PRIVATE_FILE);
    settle(world, env, id);
    bus.emit({
      type: "result",
      result: {
        kind: "facts",
        name: "secrets",
        title: `${env.shown}/secrets.yaml was taken from ${from}`,
        facts: [
          { key: "file", label: "written", value: `${env.shown}/secrets.yaml` },
          { key: "environment", label: "environment", value: id },
          { key: "note", label: "note", value: NOTES[origin.from] },
        ],
        next: [ownCommand("plan", env.shown)],
      },
    });
    return 0;
  } finally {
    lock.release();
  }
}

const BACKUP = "back it up now, and keep it secret: it gives full access to the cluster. plan must show no machine to create";
const NOTES: Record<SecretsOrigin["from"], string> = {
  config: BACKUP,
  node: BACKUP,
  kubernetes:
    "Kubernetes and etcd keep their certificate authorities; Talos' own secrets are new. up creates a new etcd and does not join the old cluster's",
};

async function bundleOf(
  session: SecretsSession,
  env: Environment,
  origin: SecretsOrigin,
): Promise<{ bundle: SecretsBundle; from: string }> {
  const { world, redactor } = session;
  switch (origin.from) {
    case "config":
      return { bundle: secretsFromConfig(required(world, origin.file), { file: origin.file, redactor }), from: origin.file };
    case "kubernetes": {
      const token = required(world, origin.tokenFile).trim();
      const pki = { folder: origin.folder, token, contract: env.config.cluster.contract, redactor };
      return { bundle: await secretsFromKubernetesPki(world, pki), from: origin.folder };
    }
    case "node":
      return fromNode(session, env, origin);
  }
}

async function fromNode(session: SecretsSession, env: Environment, origin: Extract<SecretsOrigin, { from: "node" }>) {
  const { world, redactor, signal } = session;
  const file = origin.talosconfig ?? join(env.shown, "talosconfig");
  const identity = talosIdentity(required(world, origin.talosconfig ?? paths.talosconfig(env.folder)), world.clock.now());
  if (identity === undefined)
    throw userError("TALOSCONFIG_UNUSABLE", {
      message: `${file} cannot be used: it is not a talosconfig with a certificate, or its certificate has expired`,
      hint: "name another one with --talosconfig FILE, or use --from-config with a control plane's config",
    });
  const controlPlanes = env.config.nodes.filter((node) => node.role === "controlplane");
  const asked = origin.name === undefined ? controlPlanes : controlPlanes.filter((node) => node.name === origin.name);
  if (asked.length === 0)
    throw userError("NO_SUCH_NODE", {
      message: `There is no control plane called ${origin.name} in ${env.shown}`,
      hint: `its control planes are ${controlPlanes.map((node) => node.name).join(", ")}`,
    });
  const reach = nodeWorld(world, env.config);
  const refusals: string[] = [];
  try {
    for (const node of asked) {
      const { node: api, close } = talosNodeAs(reach.world, node.ip, identity);
      try {
        const { running } = await api.machineConfigs(signal);
        return {
          bundle: secretsFromConfig(running.text, { file: `the config of ${node.name}`, redactor }),
          from: `the config of ${node.name}`,
        };
      } catch (error) {
        signal.throwIfAborted();
        refusals.push(`${node.name}: ${asTalosmithError(error).message}`);
      } finally {
        close();
      }
    }
  } finally {
    reach.close();
  }
  throw userError("SECRETS_NOT_TOLD", {
    message: "No control plane returned its machine config",
    detail: refusals.join("\n"),
    hint: "use a talosconfig of this cluster with the role os:admin; or copy the config from the STATE partition as root, then use --from-config",
  });
}

function required(world: World, file: string): string {
  const content = world.files.read(file);
  if (content === undefined)
    throw userError("FILE_MISSING", { message: `There is no ${file}`, hint: "check the path. Nothing was changed." });
  return Buffer.from(content).toString("utf8");
}
