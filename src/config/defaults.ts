import type { Role } from "./config.ts";

/** Control planes get what Talos recommends (docs/facts/talos.md#virtual-machines), workers twice the minimum. */
export const DEFAULT_SIZES: Record<Role, { cores: number; memory: string; disk: string }> = {
  controlplane: { cores: 4, memory: "4GiB", disk: "20GiB" },
  worker: { cores: 2, memory: "2GiB", disk: "20GiB" },
};

/**
 * `host` is fastest, but a machine started with it on one processor cannot move to a different one; with several hosts that could be any
 * day, so the level nearly all processors since 2010 share is used. Proxmox's own default, kvm64, is too old for Talos.
 */
export function defaultCpu(hosts: number): string {
  return hosts > 1 ? "x86-64-v2-AES" : "host";
}

/** What Talos itself takes, for each family. */
export const DEFAULT_SUBNETS = {
  podSubnets: { 4: "10.244.0.0/16", 6: "fc00:db8:10::/56" },
  serviceSubnets: { 4: "10.96.0.0/12", 6: "fc00:db8:20::/112" },
} as const;
export const DEFAULT_DNS_DOMAIN = "cluster.local";

export const DEFAULT_FACTORY = "https://factory.talos.dev";
/** What the Proxmox installer calls them. */
export const DEFAULT_STORAGE = { disks: "local-lvm", images: "local" };
export const DEFAULT_BRIDGE = "vmbr0";
export const DEFAULT_CNI = "flannel";
/** The first disk of Talos's usual controllers, and of our machines. */
export const DEFAULT_INSTALL_DISK = "/dev/sda";
export const DEFAULT_HELM_IMAGE = "docker.io/alpine/helm:3.18.6";
/** Kubernetes's own for its end-to-end tests, and a plain CUDA whose C library nvidia-smi runs with. */
export const DEFAULT_MAINTENANCE = { workers: 1 };
export const DEFAULT_VERIFY = {
  smoke: true,
  image: "registry.k8s.io/e2e-test-images/agnhost:2.53",
  gpuImage: "nvcr.io/nvidia/cuda:12.8.1-base-ubuntu24.04",
};
export const DEFAULT_HETZNER = "https://api.hetzner.cloud/v1";
/** KubeSpan has the one that is usual. */
export const DEFAULT_WIREGUARD_PORT = 51_821;
export const DEFAULT_SSH = { port: 22, user: "root" };
export const DEFAULT_MACHINE = "q35";
/** What Talos recommends: with virtio-scsi-single it has been seen to hang (docs/facts/talos.md#virtual-machines). */
export const DEFAULT_CONTROLLER = "virtio-scsi-pci";
