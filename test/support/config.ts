/** A small cluster on a lab: one control plane, two workers. */
export interface LabCoordinates {
  /** "127.80.1" */
  block: string;
  url: string;
  fingerprint: string;
  token: string;
  factory: string;
  charts?: string;
  hosts: readonly string[];
}

export interface ConfigWishes {
  name?: string;
  /** Added to the last number of every address. */
  offset?: number;
  method?: "import" | "template" | "iso";
  /** How templates are cloned. */
  clone?: "full" | "linked";
  talos?: string;
  /** Keys of every node, and of the first worker alone: "tags: [a], pool: lab". */
  all?: string;
  firstWorker?: string;
  memory?: string;
  workers?: number;
  controlPlanes?: number;
  /** The storage of machines' disks. */
  disks?: string;
  /** Cilium in place of Talos's default network. */
  cilium?: boolean;
  /** Addons to install, one line each. */
  addons?: readonly string[];
  extra?: string;
}

export function labConfig(lab: LabCoordinates, wishes: ConfigWishes = {}): string {
  const at = (last: number) => `${lab.block}.${last + (wishes.offset ?? 0)}`;
  return `platform: proxmox
cluster: { name: ${wishes.name ?? "life"}, endpoint: ${at(5)}, talos: ${wishes.talos ?? "v1.13.9"}${wishes.cilium ? ", cni: cilium" : ""} }
network: { cidr: ${lab.block}.0/24, gateway: ${lab.block}.250 }
image: { method: ${wishes.method ?? "import"}${wishes.clone ? `, clone: ${wishes.clone}` : ""}, factory: "${lab.factory}" }
proxmox:
  url: ${lab.url}
  tls: { fingerprint: "${lab.fingerprint}" }
  token: \${env:LAB_TOKEN}
  hosts: [${lab.hosts.join(", ")}]
  storage: { disks: ${wishes.disks ?? "local-lvm"}, images: local }
  bridge: vmbr0
defaults:
  all: { cores: 4, memory: ${wishes.memory ?? "4GiB"}, disk: 20GiB${wishes.all ? `, ${wishes.all}` : ""} }
nodes:
  - { name: cp, role: controlplane, count: ${wishes.controlPlanes ?? 1}, ip: ${at(11)} }
${workers(wishes, at)}${addons(lab, wishes)}${wishes.extra ?? ""}`;
}

function addons({ charts }: LabCoordinates, { cilium, addons: more = [] }: ConfigWishes): string {
  const lines = [...(cilium ? [`cilium: { repository: "${charts}" }`] : []), ...more];
  return lines.length === 0 ? "" : `addons:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** worker-1 to worker-N; the first one has its own line when it differs from the others. */
function workers({ workers: count = 2, firstWorker }: ConfigWishes, at: (last: number) => string): string {
  const line = (keys: string) => `  - { ${keys} }\n`;
  if (firstWorker === undefined) return count > 0 ? line(`name: worker, role: worker, count: ${count}, ip: ${at(21)}`) : "";
  const names = Array.from({ length: count }, (_, n) => `name: worker-${n + 1}, role: worker, ip: ${at(21 + n)}`);
  return names.map((keys, n) => line(n === 0 ? `${keys}, ${firstWorker}` : keys)).join("");
}
