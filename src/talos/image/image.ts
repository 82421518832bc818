import { parseVersion } from "../../catalog/version.ts";
import type { ImageConfig, NodeImageConfig } from "../../config/config.ts";
import { schematicId, schematicYaml } from "./schematic.ts";

/** One Talos image, named by what is in it. */
export interface TalosImage {
  name: string;
  /** The file name: the name with the extension of its format. */
  file: string;
  /** A disk that machines run from, or an ISO from which they install themselves. */
  medium: "disk" | "iso";
  schematic: NodeSchematic;
  /** Its path below the factory's address. */
  path: string;
}

/** The schematic of a node's image. */
export interface NodeSchematic {
  id: string;
  /** The text to register before the first build; absent when the config only has the id. */
  yaml?: string;
  extensions: readonly string[];
  /** The Talos release it is built with: extensions come and go with it. */
  talos: string;
}

/** A file of the factory: its machines and its format. */
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

/** Whether a file has the name of a talosmith image; its content follows from the name. */
export function isImageFile(file: string): boolean {
  return /^talos-v\d+\.\d+\.\d+(-[a-z]+\.\d+)?-(amd64|arm64)-[0-9a-f]{8}(-secureboot)?\.(qcow2|iso)$/.test(file);
}

/**
 * Whether the image enrolls Talos's keys in firmware without keys: an ISO does in every release, a disk image from 1.14 on. Without keys Secure Boot
 * stays off without an error.
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

/** The id of a node's schematic: from the config, or computed from its settings. Nodes with equal settings have the same id. */
export function schematicOf({ extensions, kernelArgs, schematic }: NodeImageConfig): string {
  return schematic ?? schematicId({ extensions: inOrder(extensions), kernelArgs });
}

/** Whether the image has nothing built in; every factory knows this schematic without registration. */
export function isPlainTalos({ extensions, kernelArgs, schematic }: NodeImageConfig): boolean {
  return schematic === undefined && extensions.length === 0 && kernelArgs.length === 0;
}

/** Sorts extensions: their order changes the factory's id, but not the image. */
function inOrder(extensions: readonly string[]): readonly string[] {
  return [...new Set(extensions)].sort();
}
