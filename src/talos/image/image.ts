import { parseVersion } from "../../catalog/version.ts";
import type { ImageConfig, NodeImageConfig } from "../../config/config.ts";
import { schematicId, schematicYaml } from "./schematic.ts";

/** One Talos image, named by what is in it. */
export interface TalosImage {
  name: string;
  /** What it is kept as: the name, and what tells its format. */
  file: string;
  /** A disk that machines run from, or an ISO from which they install themselves. */
  medium: "disk" | "iso";
  schematic: NodeSchematic;
  /** Where it is found below the factory's address. */
  path: string;
}

/** What a node's image is made of, as the factory knows it. */
export interface NodeSchematic {
  id: string;
  /** What the factory must have been told once before it builds this; absent when somebody else has told it. */
  yaml?: string;
  extensions: readonly string[];
  /** The Talos release it is built with: extensions come and go with it. */
  talos: string;
}

/** What a file of the factory is: for which machines, and how it is packed. */
export interface Asset {
  talos: string;
  platform: "nocloud" | "metal";
  arch: "amd64" | "arm64";
  secureboot: boolean;
  format: "qcow2" | "raw" | "raw.xz" | "raw.zst" | "iso";
}

/** The path of a disk image or ISO below the factory's address (docs/facts/talos.md#images). */
export function assetPath(schematic: string, { talos, platform, arch, secureboot, format }: Asset): string {
  return `/image/${schematic}/${talos}/${platform}-${arch}${secureboot ? "-secureboot" : ""}.${format}`;
}

/** The image for machines that get their address from a cloud-init drive. */
export function nocloudImage(
  talos: string,
  { arch, secureboot, method }: Pick<ImageConfig, "arch" | "secureboot"> & { method: string },
  node: NodeImageConfig,
): TalosImage {
  const schematic = nodeSchematic(talos, node);
  const name = `talos-${talos}-${arch}-${schematic.id.slice(0, 8)}${secureboot ? "-secureboot" : ""}`;
  const format = method === "iso" ? "iso" : "qcow2";
  return {
    name,
    file: `${name}.${format}`,
    medium: method === "iso" ? "iso" : "disk",
    schematic,
    path: assetPath(schematic.id, { talos, platform: "nocloud", arch, secureboot, format }),
  };
}

/** Is a file of this name one that we keep? Whoever has given it that name meant the same thing by it. */
export function isImageFile(file: string): boolean {
  return /^talos-v\d+\.\d+\.\d+(-[a-z]+\.\d+)?-(amd64|arm64)-[0-9a-f]{8}(-secureboot)?\.(qcow2|iso)$/.test(file);
}

/**
 * Does a machine whose firmware has no keys yet get Talos's own from this image? An ISO brings them in every release, a disk image since 1.14;
 * without them Secure Boot stays off, and nobody notices.
 */
export function enrolsKeys(talos: string, medium: TalosImage["medium"]): boolean {
  const release = parseVersion(talos);
  return medium === "iso" || (release !== undefined && (release.major > 1 || release.minor >= 14));
}

export function nodeSchematic(talos: string, node: NodeImageConfig): NodeSchematic {
  const { extensions, kernelArgs, schematic } = node;
  if (schematic !== undefined) return { id: schematic, extensions: [], talos };
  return { id: schematicOf(node), yaml: schematicYaml({ extensions: inOrder(extensions), kernelArgs }), extensions, talos };
}

/** The id of a node's schematic: the one that was given, or the one its wishes make. Nodes with equal wishes have the same. */
export function schematicOf({ extensions, kernelArgs, schematic }: NodeImageConfig): string {
  return schematic ?? schematicId({ extensions: inOrder(extensions), kernelArgs });
}

/** Nothing built in: what every factory knows without having been told. */
export function isPlainTalos({ extensions, kernelArgs, schematic }: NodeImageConfig): boolean {
  return schematic === undefined && extensions.length === 0 && kernelArgs.length === 0;
}

/** The factory counts the order of extensions; to us it is one image, in whatever order they were written. */
function inOrder(extensions: readonly string[]): readonly string[] {
  return [...new Set(extensions)].sort();
}
