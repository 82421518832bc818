import type { Redactor } from "@talosmith/lib/secret.ts";
import type { DiskSelector, NodeConfig, VolumeConfig } from "../config.ts";
import type { Pool } from "../pools.ts";
import { keyOf, type WrittenKey } from "./encryption-key.ts";
import { bytes, defined, sure } from "./values.ts";

type Settings = Pool["settings"];
type Volume = NonNullable<NonNullable<Settings["volumes"]>[number]>;

export function disksOf(
  pool: Pool,
  redactor: Redactor,
): Pick<NodeConfig, "installDisk" | "volumes" | "ephemeral" | "encryption"> {
  const { installDisk, ephemeral, encryption } = pool.settings;
  const volumes = pool
    .everywhere("volumes")
    .flatMap(({ value }) => value)
    .map((volume) => volumeOf(sure(volume), redactor));
  const key = (written: WrittenKey | undefined) => (written === undefined ? undefined : keyOf(written, redactor));
  return {
    ...(installDisk !== undefined && { installDisk: diskOf(installDisk) }),
    // A volume of the defaults can be said anew on a node.
    volumes: [...new Map(volumes.map((volume) => [volume.name, volume])).values()],
    ...(ephemeral !== undefined && { ephemeral: { ...range(ephemeral), ...defined({ disk: ephemeral.disk }) } }),
    ...(encryption !== undefined && {
      encryption: defined({ state: key(encryption.state), ephemeral: key(encryption.ephemeral) }),
    }),
  };
}

function diskOf(disk: NonNullable<Settings["installDisk"]>): string | DiskSelector {
  return typeof disk === "string" ? disk : defined(disk);
}

function volumeOf(volume: Volume, redactor: Redactor): VolumeConfig {
  const { name, kind, disk, size, grow, filesystem, encryption } = volume;
  return {
    name: sure(name),
    kind: kind ?? "user",
    ...(disk !== undefined && { disk: diskOf(disk) }),
    ...range(size === undefined ? volume : { minSize: size, maxSize: size }),
    grow: grow ?? false,
    filesystem: filesystem ?? "xfs",
    ...(encryption !== undefined && { encryption: keyOf(encryption, redactor) }),
  };
}

function range({ minSize, maxSize }: { minSize?: string | undefined; maxSize?: string | undefined }) {
  return defined({ minSize: bytes(minSize), maxSize: bytes(maxSize) });
}
