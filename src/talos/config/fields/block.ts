import { type Keys, type Kinds, since } from "./notation.ts";

const TRIM: Keys = { "enabled?": "bool", interval: "duration" };
const SCRUB: Keys = { "enabled?": "bool", interval: "duration" };
const PROVISIONING: Keys = { diskSelector: { match: "disk expression" }, "grow?": "bool", minSize: "bytes", maxSize: "size" };
const ENCRYPTION: Keys = {
  provider: "none|luks2",
  keys: [
    {
      slot: "int",
      "static?": { passphrase: "text" },
      "nodeID?": {},
      "kms?": { endpoint: "text" },
      "tpm?": { "options?": { pcrs: ["int"] }, "checkSecurebootStatusOnEnroll?": "bool" },
      "lockToState?": "bool",
    },
  ],
  cipher: "text",
  keySize: "uint",
  blockSize: "uint64",
  options: ["text"],
  "allowDiscards?": since("1.14", "bool"),
};
const FILESYSTEM = since(
  "1.14",
  "none|xfs|vfat|ext4|iso9660|swapi|virtiofs|btrfs",
  since("1.13", "none|xfs|vfat|ext4|iso9660|swapi|virtiofs", "none|xfs|vfat|ext4|iso9660|swap"),
);
const XFS: Keys = { minAllocationGroupSize: "bytes" };

/** Volumes, their encryption, LVM and RAID. */
export const BLOCK: Kinds = {
  ExistingVolumeConfig: {
    name: "text",
    discovery: { volumeSelector: { match: "volume expression" } },
    mount: { "readOnly?": "bool", "disableAccessTime?": since("1.13", "bool"), "secure?": since("1.13", "bool") },
    "trim?": since("1.14", TRIM),
    "scrub?": since("1.14", SCRUB),
  },
  ExternalVolumeConfig: since("1.13", {
    name: "text",
    filesystemType: FILESYSTEM,
    mount: { "readOnly?": "bool", "disableAccessTime?": "bool", "secure?": "bool", "virtiofs?": { tag: "text" } },
  }),
  FilesystemScrubConfig: since("1.14", { interval: "duration" }),
  FilesystemTrimConfig: since("1.14", { interval: "duration" }),
  LVMLogicalVolumeConfig: since("1.14", {
    name: "text",
    type: "linear|raid1|raid0|raid10",
    "mirrors?": "uint32",
    "stripes?": "uint32",
    provisioning: { volumeGroup: "text", minSize: "bytes", maxSize: "size" },
  }),
  LVMVolumeGroupConfig: since("1.14", { name: "text", provisioning: { volumeSelector: { match: "member expression" } } }),
  RAIDArrayConfig: since("1.14", {
    name: "text",
    level: "raid1|",
    metadata: "1.0|1.2",
    provisioning: { volumeSelector: { match: "member expression" } },
  }),
  RawVolumeConfig: { name: "text", provisioning: PROVISIONING, encryption: ENCRYPTION },
  SwapVolumeConfig: { name: "text", provisioning: PROVISIONING, encryption: ENCRYPTION },
  UserVolumeConfig: {
    name: "text",
    "volumeType?": since(
      "1.13",
      "partition|disk|tmpfs|directory|symlink|overlay|external",
      "partition|disk|tmpfs|directory|symlink|overlay",
    ),
    provisioning: PROVISIONING,
    filesystem: {
      type: FILESYSTEM,
      "projectQuotaSupport?": "bool",
      "xfs?": since("1.14", XFS),
    },
    encryption: ENCRYPTION,
    mount: since("1.13", { "disableAccessTime?": "bool", "secure?": "bool" }),
    "trim?": since("1.14", TRIM),
    "scrub?": since("1.14", SCRUB),
  },
  VolumeConfig: {
    name: "text",
    provisioning: PROVISIONING,
    filesystem: since("1.14", { "xfs?": XFS }),
    encryption: ENCRYPTION,
    mount: since("1.13", { "secure?": "bool", "disableAccessTime?": since("1.14", "bool") }),
    "trim?": since("1.14", TRIM),
    "scrub?": since("1.14", SCRUB),
  },
  ZswapConfig: { "maxPoolPercent?": "int", "shrinkerEnabled?": "bool" },
};
