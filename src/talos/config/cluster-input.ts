import type { ClusterConfig } from "../../config/config.ts";
import { isIpv6 } from "../../lib/cidr.ts";
import type { SecretsBundle } from "../secrets/bundle.ts";

/** All that the base configs of a cluster are made from. */
export interface ClusterInput
  extends Pick<ClusterConfig, "name" | "endpoint" | "kubernetes" | "contract" | "cni" | "scheduleOnControlPlanes"> {
  readonly secrets: SecretsBundle;
  readonly installerImage: string;
  /** "/dev/sda"; a node with another one has it in its patch. */
  readonly installDisk: string;
}

/** Where the Kubernetes API of the cluster is, in machine configs and in kubeconfig. */
export function endpointUrl(endpoint: string): string {
  return `https://${isIpv6(endpoint) ? `[${endpoint}]` : endpoint}:6443`;
}

/**
 * The installer that puts this schematic on a disk. Its platform matters: the kernel command line comes from it, so a metal installer
 * turns a nocloud machine into a metal one, which no longer reads its address from the cloud-init drive.
 */
export function installerImage(of: { factory: string; platform: "nocloud" | "metal"; schematic: string; talos: string }): string {
  return `${new URL(of.factory).host}/${of.platform}-installer/${of.schematic}:${of.talos}`;
}
