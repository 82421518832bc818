import { hasCode } from "@talosmith/lib/errors.ts";
import type { Config, NodeConfig } from "../../config/config.ts";
import type { Read } from "../../engine/step.ts";
import { memberOf, textOf } from "../api/spec.ts";
import type { MachineConfigs, TalosNode } from "../api/talos-node.ts";
import type { Answered, TalosNodes } from "../api/talos-nodes.ts";
import { isPlainTalos } from "../image/image.ts";
import { installerOf } from "../image/installer.ts";

const EXTENSIONS = { namespace: "runtime", type: "ExtensionStatuses.runtime.talos.dev" };

/** The software that a node runs, and its configs. */
export interface RunningNode extends MachineConfigs {
  /** "v1.13.9" */
  version: string;
  /** The content of its image; undefined when nothing depends on it, or the node does not report it. */
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

/** Whether a key of shared results belongs to `runningOn`. */
export function isOfRunning(key: string): boolean {
  return key.startsWith(RUNNING);
}

/** Queries a node of this cluster, or identifies the machine that answers instead. The result is shared within a pass. */
export function runningOn(c: Read, talos: TalosNodes, wanted: Wanted, node: NodeConfig): Promise<Answered<RunningNode>> {
  return c.shared(`${RUNNING} ${node.name}`, () => talos.ask(node.ip, (api) => look(api, wanted, node, c.signal), c.signal));
}

export async function look(api: TalosNode, wanted: Wanted, node: NodeConfig, signal: AbortSignal): Promise<RunningNode> {
  const [{ version }, configs] = await Promise.all([api.version(signal), api.machineConfigs(signal)]);
  const isAsWanted = version === wanted.cluster.talos && configs.running.text.includes(installerOf(wanted, node));
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
    if (hasCode(error, "TALOS_UNSUPPORTED")) return undefined;
    throw error;
  }
}

/** Whether a node already runs the image that this installer would install, so that only the name differs. */
export function runsInstaller({ version, image }: RunningNode, node: NodeConfig, installer: string): boolean {
  if (!installer.endsWith(`:${version}`) || image === undefined) return false;
  if (image.schematic === undefined) return isPlainTalos(node.image) && image.extensions.length === 0;
  return installer.endsWith(`/${image.schematic}:${version}`);
}

/**
 * Whether an extension is installed. Its manifest may omit a suffix of the image's name: nvidia-container-toolkit for
 * nvidia-container-toolkit-production.
 */
export function hasExtension({ extensions }: RunningImage, wanted: string): boolean {
  const name = wanted.split("/").at(-1) ?? wanted;
  return extensions.some((one) => name === one || name.startsWith(`${one}-`));
}
