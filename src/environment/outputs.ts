import type { NodeConfig } from "../config/config.ts";
import type { Environment } from "./environment.ts";
import { paths } from "./folder.ts";

/**
 * The output contract. Names and shapes are stable: a new version may add keys, never change or remove one. docs/reference/outputs.md explains
 * each; a test keeps it complete.
 */
export interface Outputs {
  /** Addresses of the control planes, for the Talos API. */
  talos_control_plane_endpoints: string[];
  talos_node_ips: Record<string, string>;
  talos_node_roles: Record<string, "controlplane" | "worker">;
  /** Empty on platforms without virtual machines. */
  talos_vm_ids: Record<string, number>;
  /** "https://10.10.0.5:6443" */
  talos_cluster_endpoint: string;
  talosconfig_path: string;
  kubeconfig_path: string;
  /** The schematic id of each node's image. */
  talos_schematics: Record<string, string>;
  /** "factory.talos.dev/nocloud-installer/3765…:v1.13.9", for `talosctl upgrade --image`. */
  talos_installer_images: Record<string, string>;
  /** "age1…": the recipient for the cluster's secrets; empty while the environment has no age key. */
  age_recipient: string;
}

/** The image factory's id for a node's image. */
export interface NodeImage {
  schematic: string;
  installer: string;
}

/** `ids`: the ids of existing machines. */
export function outputsOf(
  env: Environment,
  ids: ReadonlyMap<string, number>,
  imageOf: (node: NodeConfig) => NodeImage,
  ageRecipient: string | undefined,
): Outputs {
  const { cluster, nodes } = env.config;
  const images = nodes.map((node) => [node.name, imageOf(node)] as const);
  return {
    talos_control_plane_endpoints: nodes.filter((node) => node.role === "controlplane").map((node) => node.ip),
    talos_node_ips: Object.fromEntries(nodes.map((node) => [node.name, node.ip])),
    talos_node_roles: Object.fromEntries(nodes.map((node) => [node.name, node.role])),
    talos_vm_ids: Object.fromEntries(nodes.flatMap(({ name }) => (ids.has(name) ? [[name, ids.get(name) as number]] : []))),
    talos_cluster_endpoint: `https://${cluster.endpoint.includes(":") ? `[${cluster.endpoint}]` : cluster.endpoint}:6443`,
    talosconfig_path: paths.talosconfig(env.folder),
    kubeconfig_path: paths.kubeconfig(env.folder),
    talos_schematics: Object.fromEntries(images.map(([name, { schematic }]) => [name, schematic])),
    talos_installer_images: Object.fromEntries(images.map(([name, { installer }]) => [name, installer])),
    age_recipient: ageRecipient ?? "",
  };
}

export function printOutputs(outputs: Outputs): string {
  return `${JSON.stringify(outputs, null, 2)}\n`;
}
