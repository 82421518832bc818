/** Talos's requirements on a machine (docs/facts/talos.md#virtual-machines); sizes are recommended for control planes only. */
export const MACHINE_NEEDS = {
  controlplane: {
    minimum: { cores: 2, memoryMiB: 2048, diskGiB: 10 },
    recommended: { cores: 4, memoryMiB: 4096, diskGiB: 10 },
  },
  worker: {
    minimum: { cores: 1, memoryMiB: 1024, diskGiB: 10 },
    recommended: { cores: 1, memoryMiB: 1024, diskGiB: 10 },
  },
} as const;

/** QEMU's processor models below x86-64-v2, on which Talos does not boot (docs/facts/talos.md#virtual-machines; kvm64 is Proxmox's default). */
export const CPU_TYPES_TOO_OLD: readonly string[] = [
  "486",
  "pentium",
  "pentium2",
  "pentium3",
  "athlon",
  "phenom",
  "coreduo",
  "core2duo",
  "n270",
  "kvm32",
  "kvm64",
  "qemu32",
  "qemu64",
  "Conroe",
  "Penryn",
  "Opteron_G1",
  "Opteron_G2",
  "Opteron_G3",
];
