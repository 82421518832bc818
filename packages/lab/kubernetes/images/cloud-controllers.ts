import { parse } from "yaml";
import type { Loose } from "../objects.ts";
import type { Image, Process } from "../pods/program.ts";
import { InCluster } from "./in-cluster.ts";
import { approveKubelets, WATCHED } from "./kubelet-certificates.ts";

const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

/** The config that both Proxmox drivers read at their start, or their error message. */
export function proxmoxConfig(run: Process): { clusters: Loose[] } | string {
  const text = run.files["/etc/proxmox/config.yaml"];
  if (text === undefined) return "failed to read config: open /etc/proxmox/config.yaml: no such file or directory";
  const clusters: Loose[] = parse(text)?.clusters ?? [];
  if (clusters.length === 0) return "failed to read config: at least one Proxmox cluster must be specified";
  for (const [at, { url = "", token_id: id, token_secret: secret, username, password, region }] of clusters.entries()) {
    if (!/^https?:\/\//.test(url)) return `failed to read config: cluster #${at + 1}: url is required`;
    if (!(id && secret) && !(username && password))
      return `failed to read config: cluster #${at + 1}: either username/password or token_id/token_secret are required`;
    if (!region) return `failed to read config: cluster #${at + 1}: region is required`;
  }
  return { clusters };
}

/** Machines of the Proxmox cluster by their SMBIOS id, which nodes report as well. */
async function machinesOf(
  run: Process,
  { url, token_id: id, token_secret: secret, insecure }: Loose,
): Promise<Map<string, Loose>> {
  const headers = { Authorization: `PVEAPIToken=${id}=${secret}` };
  const ask = async (path: string): Promise<Loose> => {
    const answer = await run.fetch(`${url}${path}`, { headers, ...(insecure && { insecure: true }) });
    if (answer.status !== 200) throw new Error(`error from Proxmox: ${answer.status}`);
    return JSON.parse(answer.body.toString("utf8")).data;
  };
  const found = new Map<string, Loose>();
  for (const machine of (await ask("/cluster/resources?type=vm")) as Loose[]) {
    if (machine.type !== "qemu" || machine.template) continue;
    const { smbios1 = "" } = await ask(`/nodes/${machine.node}/qemu/${machine.vmid}/config`);
    const [, uuid] = /uuid=([0-9a-fA-F-]+)/.exec(smbios1) ?? [];
    if (uuid !== undefined) found.set(uuid.toLowerCase(), machine);
  }
  return found;
}

async function greetProxmoxNodes(run: Process): Promise<void> {
  const config = proxmoxConfig(run);
  if (typeof config === "string") throw new Error(config);
  const api = new InCluster(run);
  const waiting = (await api.list("/api/v1/nodes")).filter(isUninitialized);
  if (waiting.length === 0) return;
  for (const cluster of config.clusters) {
    const machines = await machinesOf(run, cluster);
    for (const node of waiting) {
      const machine = machines.get(String(node.status?.nodeInfo?.systemUUID).toLowerCase());
      if (!machine) continue;
      const labels = {
        "topology.kubernetes.io/region": cluster.region,
        "topology.kubernetes.io/zone": machine.node,
        "node.kubernetes.io/instance-type": `${machine.maxcpu}VCPU-${Math.round(machine.maxmem / 2 ** 30)}GB`,
      };
      await initialize(api, node, `proxmox://${cluster.region}/${machine.vmid}`, labels);
      run.log(`Successfully initialized node ${node.metadata.name} with cloud provider`);
    }
  }
}

async function greetTalosNodes(run: Process): Promise<void> {
  const api = new InCluster(run);
  for (const node of (await api.list("/api/v1/nodes")).filter(isUninitialized)) {
    const address = (node.status?.addresses ?? []).find(({ type }: Loose) => type === "InternalIP")?.address ?? "";
    await initialize(api, node, `talos://nocloud/${address}`, { "node.cloudprovider.kubernetes.io/platform": "nocloud" });
    run.log(`Successfully initialized node ${node.metadata.name} with cloud provider`);
  }
  if (run.argv.some((word) => /^--controllers=.*node-csr-approval/.test(word))) await approveKubelets(run);
}

function isUninitialized({ spec }: Loose): boolean {
  return (spec?.taints ?? []).some(({ key }: Loose) => key === UNINITIALIZED);
}

async function initialize(
  api: InCluster,
  { metadata, spec }: Loose,
  providerID: string,
  labels: Record<string, string>,
): Promise<void> {
  const taints = (spec.taints ?? []).filter(({ key }: Loose) => key !== UNINITIALIZED);
  await api.merge(`/api/v1/nodes/${metadata.name}`, { metadata: { labels }, spec: { providerID, taints } });
}

export const CLOUD_CONTROLLERS: readonly Image[] = [
  {
    name: "sergelogvinov/proxmox-cloud-controller-manager",
    pullMs: 3000,
    entrypoint: ["/bin/proxmox-cloud-controller-manager"],
    program: async (run) => {
      const config = proxmoxConfig(run);
      if (typeof config !== "string") return "stays";
      run.log(`F0101 00:00:00.000000       1 main.go:81] ${config}`);
      return 255;
    },
    controls: { watches: ["nodes"], act: greetProxmoxNodes },
  },
  {
    name: "siderolabs/talos-cloud-controller-manager",
    pullMs: 3000,
    entrypoint: ["/talos-cloud-controller-manager"],
    readyMs: 2000,
    controls: { watches: ["nodes", WATCHED], act: greetTalosNodes },
  },
  {
    name: "sergelogvinov/proxmox-csi-controller",
    pullMs: 3000,
    entrypoint: ["/bin/proxmox-csi-controller"],
    program: async (run) => {
      const config = proxmoxConfig(run);
      if (typeof config !== "string") return "stays";
      run.log(`E0101 00:00:00.000000       1 main.go:109] "Failed to create controller service" err="${config}"`);
      return 1;
    },
  },
];
