import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Config, NodeConfig } from "../../config/config.ts";
import type { Read } from "../../engine/step.ts";
import { memberOf, textOf } from "../api/spec.ts";
import type { MachineConfigs, TalosNode } from "../api/talos-node.ts";
import type { Answered, TalosNodes } from "../api/talos-nodes.ts";
import { isPlainTalos } from "../image/image.ts";
import { installerOf } from "../image/installer.ts";

const EXTENSIONS = { namespace: "runtime", type: "ExtensionStatuses.runtime.talos.dev" };

/** What really runs on a node, and the configs it has. */
export interface RunningNode extends MachineConfigs {
  /** "v1.13.9" */
  version: string;
  /** What its image is made of; undefined when nothing depends on it, or it cannot say. */
  image?: RunningImage;
}

export interface RunningImage {
  /** Extensions by the names in their manifests: "iscsi-tools". */
  extensions: readonly string[];
  /** Undefined for an image that no factory made. */
  schematic?: string;
}

type Wanted = Pick<Config, "image" | "cluster">;

const RUNNING = "running on";

/** Is this the key of what a node said in a pass? */
export function isOfRunning(key: string): boolean {
  return key.startsWith(RUNNING);
}

/** Looks at a node of ours, or tells who answers in its place. Whoever asks in the same pass gets the same answer. */
export function runningOn(c: Read, talos: TalosNodes, wanted: Wanted, node: NodeConfig): Promise<Answered<RunningNode>> {
  return c.shared(`${RUNNING} ${node.name}`, () => talos.ask(node.ip, (api) => look(api, wanted, node, c.signal), c.signal));
}

export async function look(api: TalosNode, wanted: Wanted, node: NodeConfig, signal: AbortSignal): Promise<RunningNode> {
  const [{ version }, configs] = await Promise.all([api.version(signal), api.machineConfigs(signal)]);
  const isAsWanted = version === wanted.cluster.talos && configs.running.includes(installerOf(wanted, node));
  if (isAsWanted && isPlainTalos(node.image)) return { version, ...configs };
  const image = await imageOf(api, signal);
  return { version, ...configs, ...(image && { image }) };
}

async function imageOf(api: TalosNode, signal: AbortSignal): Promise<RunningImage | undefined> {
  try {
    const all = (await api.resources(EXTENSIONS, signal)).map((one) => memberOf(one.spec, "metadata"));
    const named = all.map((one) => ({ name: textOf(one, "name") ?? "", version: textOf(one, "version") }));
    // Talos tells its schematic as an extension of that name.
    const schematic = named.find(({ name }) => name === "schematic")?.version;
    const extensions = named.flatMap(({ name }) => (name === "" || name === "schematic" ? [] : [name]));
    return { extensions, ...(schematic !== undefined && { schematic }) };
  } catch (error) {
    if (error instanceof TalosmithError && error.code === "TALOS_UNSUPPORTED") return undefined;
    throw error;
  }
}

/** Is what this installer would install already there? Then its name in the config is nothing but a name. */
export function runsInstaller({ version, image }: RunningNode, node: NodeConfig, installer: string): boolean {
  if (!installer.endsWith(`:${version}`) || image === undefined) return false;
  if (image.schematic === undefined) return isPlainTalos(node.image) && image.extensions.length === 0;
  return installer.endsWith(`/${image.schematic}:${version}`);
}

/** A manifest may leave out what an image's name ends with: nvidia-container-toolkit for nvidia-container-toolkit-production. */
export function hasExtension({ extensions }: RunningImage, wanted: string): boolean {
  const name = wanted.split("/").at(-1) ?? wanted;
  return extensions.some((one) => name === one || name.startsWith(`${one}-`));
}
