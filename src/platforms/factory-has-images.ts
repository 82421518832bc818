import { hasCode } from "@talosmith/lib/errors.ts";
import type { Meter } from "@talosmith/lib/http/client.ts";
import { EXTENSION_ALIASES } from "../catalog/extension-aliases.ts";
import { compareVersions, parseVersion } from "../catalog/version.ts";
import type { NodeConfig } from "../config/config.ts";
import { nearest } from "../config/nearest.ts";
import { type Change, type Check, check, type Finding, PREFLIGHT } from "../engine/step.ts";
import type { Environment } from "../environment/environment.ts";
import { FactoryClient } from "../talos/image/factory-client.ts";

interface Wish {
  /** The nodes to be made. */
  nodes: readonly NodeConfig[];
  before(change: Change): boolean;
  /** The level of a factory that does not answer: "warn" where only the machines fetch from it. */
  silence: "fail" | "warn";
}

/**
 * Checks that the image factory has the Talos release, the extensions and the schematics of new nodes: it accepts a schematic with an unknown extension,
 * and refuses only when the image is built (docs/facts/talos.md#images).
 */
export function factoryHasImages(env: Environment, meter: Meter, { nodes, before, silence }: Wish): Check[] {
  if (nodes.length === 0) return [];
  const { image, cluster } = env.config;
  const { host } = new URL(image.factory);
  return [
    check({
      id: "preflight/factory",
      stage: PREFLIGHT,
      title: `Talos images at ${host}`,
      before,
      run: async (c) => {
        const factory = new FactoryClient(c.world, image.factory, meter);
        try {
          const missing = await missingFrom(factory, env, nodes, c.signal);
          return missing.length > 0 ? missing : [{ level: "ok", code: "FACTORY", message: `${host} has ${cluster.talos}` }];
        } catch (error) {
          if (silence === "fail" || !hasCode(error, "FACTORY_SILENT")) throw error;
          const { code, message, detail, hint } = error;
          return [{ level: "warn", code, message: `${message}\n${detail}`, ...(hint !== undefined && { hint }) }];
        } finally {
          factory.close();
        }
      },
    }),
  ];
}

async function missingFrom(
  factory: FactoryClient,
  env: Environment,
  nodes: readonly NodeConfig[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const { talos } = env.config.cluster;
  const releases = await factory.releases(signal);
  if (releases && !releases.has(talos)) return [noRelease(env, releases)];
  const wanted = [...new Set(nodes.flatMap(({ image }) => image.extensions))].sort();
  const listed = wanted.length > 0 ? await factory.extensions(talos, signal) : undefined;
  const isThere = (name: string) => listed?.has(name) || listed?.has(EXTENSION_ALIASES[name] ?? name);
  const extensions = listed
    ? wanted.filter((name) => !isThere(name)).map((name) => noExtension(env, nodes, name, [...listed]))
    : [];
  const schematics = [...new Set(nodes.flatMap(({ image }) => image.schematic ?? []))];
  const known = await Promise.all(schematics.map((id) => factory.knows(id, signal)));
  return [...extensions, ...schematics.filter((_, at) => !known[at]).map((id) => noSchematic(env, nodes, id))];
}

function noRelease(env: Environment, releases: ReadonlySet<string>): Finding {
  const { talos } = env.config.cluster;
  const newest = newestOf(talos, releases);
  const where = env.where(["cluster", "talos"]);
  return {
    level: "fail",
    code: "NO_SUCH_RELEASE",
    message: `the image factory has no Talos ${talos}`,
    hint: newest ? `did you mean ${newest}? It is the newest ${newest.replace(/\.\d+$/, "")} there` : "correct cluster.talos",
    ...(where && { where }),
  };
}

/** The newest release of the same minor version. */
function newestOf(talos: string, releases: ReadonlySet<string>): string | undefined {
  const wanted = parseVersion(talos);
  return [...releases]
    .flatMap((text) => parseVersion(text) ?? [])
    .filter(({ major, minor, pre }) => pre === undefined && major === wanted?.major && minor === wanted.minor)
    .sort(compareVersions)
    .at(-1)?.text;
}

function noExtension(env: Environment, nodes: readonly NodeConfig[], name: string, listed: readonly string[]): Finding {
  const users = nodes.filter(({ image }) => image.extensions.includes(name)).map((node) => node.name);
  const meant = nearest(name, listed);
  const where = env.where(["nodes", users[0] ?? "", "image", "extensions", name]);
  return {
    level: "fail",
    code: "NO_SUCH_EXTENSION",
    message: `the image factory has no extension ${name} for Talos ${env.config.cluster.talos}, which ${users.join(", ")} would get`,
    hint: `${meant === undefined ? "" : `did you mean ${meant}? `}Correct the extensions in the config, or choose another cluster.talos`,
    ...(where && { where }),
  };
}

function noSchematic(env: Environment, nodes: readonly NodeConfig[], id: string): Finding {
  const user = nodes.find(({ image }) => image.schematic === id);
  const where = env.where(["nodes", user?.name ?? "", "image", "schematic"]);
  return {
    level: "fail",
    code: "NO_SUCH_SCHEMATIC",
    message: `the image factory at ${env.config.image.factory} knows no schematic ${id}`,
    hint: "check image.schematic and image.factory; or name extensions and kernelArgs instead, and talosmith registers the schematic",
    ...(where && { where }),
  };
}
