/** What a Proxmox VE 9.2 host runs machines with. */
export const QEMU_VERSION = "11.0.0";

export function runningMachine(machine: string | undefined): string {
  const type = (machine ?? "pc").replace(/^type=/, "").split(",")[0] ?? "pc";
  if (/\d/.test(type.replace("q35", ""))) return /\+pve/.test(type) ? type : `${type}+pve0`;
  return type === "q35" ? "pc-q35-11.0+pve0" : "pc-i440fx-11.0+pve0";
}

/** GET /nodes/{n}/capabilities/qemu/cpu */
export const CPU_MODELS: readonly { name: string; vendor: string }[] = [
  { name: "486", vendor: "GenuineIntel" },
  { name: "Broadwell", vendor: "GenuineIntel" },
  { name: "Cascadelake-Server", vendor: "GenuineIntel" },
  { name: "Conroe", vendor: "GenuineIntel" },
  { name: "EPYC", vendor: "AuthenticAMD" },
  { name: "EPYC-Genoa", vendor: "AuthenticAMD" },
  { name: "EPYC-Milan", vendor: "AuthenticAMD" },
  { name: "EPYC-Rome", vendor: "AuthenticAMD" },
  { name: "Haswell", vendor: "GenuineIntel" },
  { name: "Icelake-Server", vendor: "GenuineIntel" },
  { name: "IvyBridge", vendor: "GenuineIntel" },
  { name: "Nehalem", vendor: "GenuineIntel" },
  { name: "Opteron_G5", vendor: "AuthenticAMD" },
  { name: "Penryn", vendor: "GenuineIntel" },
  { name: "SandyBridge", vendor: "GenuineIntel" },
  { name: "SapphireRapids", vendor: "GenuineIntel" },
  { name: "Skylake-Server", vendor: "GenuineIntel" },
  { name: "Westmere", vendor: "GenuineIntel" },
  { name: "host", vendor: "default" },
  { name: "kvm32", vendor: "default" },
  { name: "kvm64", vendor: "default" },
  { name: "max", vendor: "default" },
  { name: "qemu64", vendor: "default" },
  { name: "x86-64-v2", vendor: "default" },
  { name: "x86-64-v2-AES", vendor: "default" },
  { name: "x86-64-v3", vendor: "default" },
  { name: "x86-64-v4", vendor: "default" },
];
