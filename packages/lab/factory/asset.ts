/** The parts of an image path of the factory: "nocloud-amd64-secureboot.raw.zst". */
export interface Asset {
  kind: "iso" | "disk";
  format: "iso" | "raw" | "qcow2";
  platform: string;
  arch: "amd64" | "arm64";
  secureBoot: boolean;
  compression?: "gz" | "xz" | "zst";
}

export type ParsedPath =
  | { is: "asset"; asset: Asset }
  /** The real factory has this image; the lab does not build it. */
  | { is: "unbuilt" }
  | { is: "invalid"; message: string };

const UNBUILT =
  /^(kernel-|cmdline-|initramfs-.*\.xz$|([a-z0-9-]+-)?installer-.*\.tar$|.*-uki\.efi$|.*\.(vhd|ova)(\.(gz|xz|zst|tar\.gz))?$|.*\.tar\.gz$)/;

export function parseAssetPath(path: string): ParsedPath {
  if (UNBUILT.test(path)) return { is: "unbuilt" };
  const parts = /^(?<machine>.+?)\.(?:(?<iso>iso)|(?<format>raw|qcow2)(?:\.(?<compression>gz|xz|zst))?)$/.exec(path)?.groups;
  if (!parts) return { is: "invalid", message: `invalid profile path: ${JSON.stringify(path)}` };
  const { machine = "", iso, format, compression } = parts;
  const secureBoot = machine.endsWith("-secureboot");
  const pair = secureBoot ? machine.slice(0, -"-secureboot".length) : machine;
  // A platform's name may contain a dash (digital-ocean), an architecture's may not.
  const dash = pair.lastIndexOf("-");
  if (dash === -1) return { is: "invalid", message: `invalid platform-arch: ${JSON.stringify(pair)}` };
  const arch = pair.slice(dash + 1);
  if (arch !== "amd64" && arch !== "arm64") return { is: "invalid", message: `invalid architecture: ${JSON.stringify(arch)}` };
  return {
    is: "asset",
    asset: {
      kind: iso ? "iso" : "disk",
      format: iso ? "iso" : format === "raw" ? "raw" : "qcow2",
      platform: pair.slice(0, dash),
      arch,
      secureBoot,
      ...(compression !== undefined && { compression: compression as "gz" | "xz" | "zst" }),
    },
  };
}
