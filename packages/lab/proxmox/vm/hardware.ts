/** The machine type as QEMU runs it, with its version at the start. */
export function runningMachine(machine: string | undefined, newest: string): string {
  const type = (machine ?? "pc").replace(/^type=/, "").split(",")[0] ?? "pc";
  if (/\d/.test(type.replace("q35", ""))) return /\+pve/.test(type) ? type : `${type}+pve0`;
  return type === "q35" ? `pc-q35-${newest}+pve0` : `pc-i440fx-${newest}+pve0`;
}

const INTEL = `486 pentium pentium2 pentium3 coreduo core2duo Conroe Penryn Nehalem Nehalem-IBRS Westmere Westmere-IBRS SandyBridge
  SandyBridge-IBRS IvyBridge IvyBridge-IBRS Haswell Haswell-IBRS Haswell-noTSX Haswell-noTSX-IBRS Broadwell Broadwell-IBRS
  Broadwell-noTSX Broadwell-noTSX-IBRS Skylake-Client Skylake-Client-IBRS Skylake-Client-noTSX-IBRS Skylake-Client-v4 Skylake-Server
  Skylake-Server-IBRS Skylake-Server-noTSX-IBRS Skylake-Server-v4 Skylake-Server-v5 Cascadelake-Server Cascadelake-Server-v2
  Cascadelake-Server-noTSX Cascadelake-Server-v4 Cascadelake-Server-v5 Cooperlake Cooperlake-v2 KnightsMill Icelake-Server
  Icelake-Server-noTSX Icelake-Server-v3 Icelake-Server-v4 Icelake-Server-v5 Icelake-Server-v6 SapphireRapids SapphireRapids-v2
  GraniteRapids`;
const AMD = `athlon phenom Opteron_G1 Opteron_G2 Opteron_G3 Opteron_G4 Opteron_G5 EPYC EPYC-IBPB EPYC-v3 EPYC-v4 EPYC-Rome EPYC-Rome-v2
  EPYC-Rome-v3 EPYC-Rome-v4 EPYC-Milan EPYC-Milan-v2 EPYC-Genoa`;
const GENERIC = "host kvm32 kvm64 max qemu32 qemu64 x86-64-v2 x86-64-v2-AES x86-64-v3 x86-64-v4";

const models = (names: string, vendor: string) => names.split(/\s+/).map((name) => ({ name, vendor }));

/** GET /nodes/{n}/capabilities/qemu/cpu */
export const CPU_MODELS: readonly { name: string; vendor: string }[] = [
  ...models(INTEL, "GenuineIntel"),
  ...models(AMD, "AuthenticAMD"),
  ...models(GENERIC, "default"),
];

const NAMES = new Set(CPU_MODELS.map(({ name }) => name));

export function isCpuModel(name: string): boolean {
  return NAMES.has(name);
}
