import { schematicId, schematicYaml } from "./schematic.ts";

/** One Talos disk image, named by what is in it. */
export interface TalosImage {
  name: string;
  schematic: string;
  /** What the factory must have been told once before it builds this; absent when it was told by somebody else. */
  schematicYaml?: string;
  /** Path of the disk image below the factory's address. */
  path: string;
}

export interface ImageWish {
  version: string;
  arch: string;
  extensions: readonly string[];
  kernelArgs: readonly string[];
  /** One that the factory knows already, instead of one made from the above. */
  schematic?: string;
}

/** The disk image for machines that get their address from a cloud-init drive. */
export function nocloudImage(wish: ImageWish): TalosImage {
  const schematic = schematicOf(wish);
  return {
    name: `talos-${wish.version}-${wish.arch}-${schematic.slice(0, 8)}`,
    schematic,
    ...(wish.schematic === undefined && { schematicYaml: schematicYaml(wish) }),
    path: `/image/${schematic}/${wish.version}/nocloud-${wish.arch}.qcow2`,
  };
}

/** The schematic's id: the one that was given, or the one these wishes make. */
export function schematicOf(wish: Pick<ImageWish, "extensions" | "kernelArgs" | "schematic">): string {
  return wish.schematic ?? schematicId(wish);
}
