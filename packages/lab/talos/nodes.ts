import type { Json } from "@talosmith/lib/json.ts";
import type { Lab } from "../kernel/kernel.ts";
import { imageVersion, type MachineConfig, machineConfig, pair, textAt, textsAt, value } from "./config/machine-config.ts";
import { at, list, word } from "./config/validate.ts";
import { etcdAnswers, localEtcd } from "./etcd/cluster.ts";
import { heldVips } from "./etcd/vip.ts";
import { hostFiles } from "./machine/host-files.ts";
import { networkOf, primaryAddress } from "./machine/network.ts";
import { nodeIp } from "./machine/own-address.ts";
import { PORTS, reaches } from "./machine/reach.ts";
import { isHealthy } from "./machine/services.ts";
import { type Boot, type Machine, type TalosState, talosState } from "./state.ts";
import { releaseOf } from "./versions.ts";
import type { ControlPlaneView, NodeView } from "./view.ts";

/** A cache: it is read in every turn, and changes rarely. */
const known = new WeakMap<TalosState, readonly NodeView[]>();

/** Call it whenever a machine has changed. */
export function forgetNodes(state: TalosState): void {
  known.delete(state);
}

/** The machines as the lab's Kubernetes sees them: the same list until one of them has changed. */
export function nodeViews(lab: Lab): readonly NodeView[] {
  const state = talosState(lab);
  const views = known.get(state) ?? viewsNow(lab, state);
  known.set(state, views);
  return views;
}

function viewsNow(lab: Lab, { machines }: TalosState): NodeView[] {
  return Object.values(machines).flatMap((machine) => {
    const { boot } = machine;
    const config = boot?.config === undefined ? undefined : machineConfig(boot.config);
    return boot && config ? [nodeView(lab, machine, boot, config)] : [];
  });
}

function nodeView(lab: Lab, machine: Machine, boot: Boot, config: MachineConfig): NodeView {
  const { hardware } = machine;
  const systemDisk = hardware.disks.find((disk) => disk.name !== undefined && disk.name === boot.disk);
  const release = releaseOf(boot.system.version);
  return {
    cluster: config.clusterId,
    clusterName: config.clusterName,
    name: networkOf(machine).hostname,
    address: primaryAddress(machine) ?? "",
    nodeIp: nodeIp(machine) ?? "",
    role: config.role,
    machineId: hardware.uuid,
    bootId: boot.id,
    talos: boot.system.version,
    kernel: release.kernel,
    cpus: hardware.cores,
    memoryMiB: hardware.memoryMiB,
    diskGiB: Math.floor((systemDisk?.size ?? 0) / 1024 ** 3),
    files: hostFiles(lab, machine, boot),
    kubelet: {
      running: isHealthy(boot, "kubelet") && nodeIp(machine) !== undefined && reachesApi(lab, machine, config),
      version: imageVersion(config, "machine.kubelet.image", release.kubernetes),
      labels: textMap(value(config, "machine.nodeLabels")),
      annotations: textMap(value(config, "machine.nodeAnnotations")),
      taints: Object.entries(textMap(value(config, "machine.nodeTaints"))).map(([key, taint]) => {
        const [left = "", effect] = taint.split(":");
        return effect === undefined ? { key, effect: left } : { key, value: left, effect };
      }),
      ...(value(config, "cluster.externalCloudProvider.enabled") === true && { externalCloud: true as const }),
      ...(rotatesServerCertificate(config) && { rotatesServerCertificate: true as const }),
    },
    ...(config.role === "controlplane" && { controlPlane: controlPlaneView(lab, machine, config, release.kubernetes) }),
  };
}

/** Whether the kubelet rotates its serving certificate: set as an argument, also as a list, or as a field of its own config. */
function rotatesServerCertificate(config: MachineConfig): boolean {
  const argument = value(config, "machine.kubelet.extraArgs.rotate-server-certificates");
  const field = value(config, "machine.kubelet.extraConfig.serverTLSBootstrap");
  return [argument].flat().some((one) => String(one) === "true") || field === true;
}

/** Whether a kubelet reaches an API server; a worker's uses those of the control planes. */
function reachesApi(lab: Lab, machine: Machine, { role, clusterId }: MachineConfig): boolean {
  if (role === "controlplane") return true;
  const servers = Object.values(talosState(lab).machines).filter(({ boot }) => {
    const config = boot?.config === undefined ? undefined : machineConfig(boot.config);
    return config?.role === "controlplane" && config.clusterId === clusterId;
  });
  return servers.length === 0 || servers.some((server) => reaches(machine, server, PORTS.kubernetes));
}

function textMap(found: Json | undefined): Record<string, string> {
  if (typeof found !== "object" || found === null) return {};
  return Object.fromEntries(Object.entries(found).map(([key, text]) => [key, typeof text === "string" ? text : ""]));
}

function controlPlaneView(lab: Lab, machine: Machine, config: MachineConfig, newest: string): ControlPlaneView {
  const [vip] = heldVips(lab, machine);
  const subnets = (path: string, usual: string) => {
    const given = textsAt(config, path);
    return given.length > 0 ? given : [usual];
  };
  return {
    etcd: etcdAnswers(lab, machine),
    etcdCluster: localEtcd(lab, machine)?.cluster.id ?? "",
    endpoint: config.endpoint,
    ...(vip !== undefined && { vip }),
    ca: pair(config, "cluster.ca"),
    aggregatorCa: { certificate: pair(config, "cluster.aggregatorCA").certificate },
    serviceAccountKey: pair(config, "cluster.serviceAccount").key,
    certSans: textsAt(config, "cluster.apiServer.certSANs"),
    kubernetes: imageVersion(config, "cluster.apiServer.image", newest),
    bootstrapToken: textAt(config, "cluster.token") ?? "",
    podSubnets: subnets("cluster.network.podSubnets", "10.244.0.0/16"),
    serviceSubnets: subnets("cluster.network.serviceSubnets", "10.96.0.0/12"),
    dnsDomain: textAt(config, "cluster.network.dnsDomain") ?? "cluster.local",
    cni: (textAt(config, "cluster.network.cni.name") ?? "flannel") as ControlPlaneView["cni"],
    proxy: value(config, "cluster.proxy.disabled") !== true,
    coreDns: value(config, "cluster.coreDNS.disabled") !== true,
    schedulable: [
      value(config, "cluster.allowSchedulingOnControlPlanes"),
      value(config, "cluster.allowSchedulingOnMasters"),
    ].includes(true),
    podSecurity: podSecurity(config),
    ...talosAccess(config),
    inlineManifests: list(value(config, "cluster.inlineManifests")).map((manifest) => ({
      name: word(at(manifest, "name") ?? ""),
      contents: word(at(manifest, "contents") ?? ""),
    })),
  };
}

function talosAccess(config: MachineConfig): Pick<ControlPlaneView, "talosAccess"> {
  const path = "machine.features.kubernetesTalosAPIAccess";
  if (value(config, `${path}.enabled`) !== true) return {};
  const namespaces = textsAt(config, `${path}.allowedKubernetesNamespaces`);
  return { talosAccess: { namespaces, roles: textsAt(config, `${path}.allowedRoles`) } };
}

function podSecurity(config: MachineConfig): ControlPlaneView["podSecurity"] {
  const plugin = list(value(config, "cluster.apiServer.admissionControl")).find((one) => at(one, "name") === "PodSecurity");
  return {
    enforce: (at(plugin, "configuration.defaults.enforce") ?? "privileged") as ControlPlaneView["podSecurity"]["enforce"],
    exemptNamespaces: list(at(plugin, "configuration.exemptions.namespaces")).map(word),
  };
}
