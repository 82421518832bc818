import type { ImageConfig, NodeImageConfig } from "../../config/config.ts";
import { schematicId, schematicYaml } from "./schematic.ts";

/** One Talos disk image, named by what is in it. */
export interface TalosImage {
  name: string;
  schematic: NodeSchematic;
  /** Path of the disk image below the factory's address. */
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

/** Where a disk image or ISO is found below the factory's address (talos.md 6.2). */
export function assetPath(schematic: string, { talos, platform, arch, secureboot, format }: Asset): string {
  return `/image/${schematic}/${talos}/${platform}-${arch}${secureboot ? "-secureboot" : ""}.${format}`;
}

/** The disk image for machines that get their address from a cloud-init drive. */
export function nocloudImage(
  talos: string,
  { arch, secureboot }: Pick<ImageConfig, "arch" | "secureboot">,
  node: NodeImageConfig,
): TalosImage {
  const schematic = nodeSchematic(talos, node);
  return {
    name: `talos-${talos}-${arch}-${schematic.id.slice(0, 8)}${secureboot ? "-secureboot" : ""}`,
    schematic,
    path: assetPath(schematic.id, { talos, platform: "nocloud", arch, secureboot, format: "qcow2" }),
  };
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
