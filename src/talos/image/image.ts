import { schematicId, schematicYaml } from "./schematic.ts";

/** One Talos disk image, named by what is in it. */
export interface TalosImage {
  name: string;
  schematic: string;
  /** What the factory must have been told once before it builds this. */
  schematicYaml: string;
  /** Path of the disk image below the factory's address. */
  path: string;
}

export interface ImageWish {
  version: string;
  arch: string;
  extensions: readonly string[];
  kernelArgs: readonly string[];
}

/** The disk image for machines that get their address from a cloud-init drive. */
export function nocloudImage(wish: ImageWish): TalosImage {
  const schematic = schematicId(wish);
  return {
    name: `talos-${wish.version}-${wish.arch}-${schematic.slice(0, 8)}`,
    schematic,
    schematicYaml: schematicYaml(wish),
    path: `/image/${schematic}/${wish.version}/nocloud-${wish.arch}.qcow2`,
  };
}
