/** Talos's own defaults, for each address family. */
export const DEFAULT_SUBNETS = {
  podSubnets: { 4: "10.244.0.0/16", 6: "fc00:db8:10::/56" },
  serviceSubnets: { 4: "10.96.0.0/12", 6: "fc00:db8:20::/112" },
} as const;
export const DEFAULT_DNS_DOMAIN = "cluster.local";

export const DEFAULT_FACTORY = "https://factory.talos.dev";
export const DEFAULT_CNI = "flannel";
/** The first disk of Talos's usual controllers. */
export const DEFAULT_INSTALL_DISK = "/dev/sda";
export const DEFAULT_HELM_IMAGE = "docker.io/alpine/helm:3.18.6";
/** Kubernetes's own for its end-to-end tests, and a plain CUDA whose C library nvidia-smi runs with. */
export const DEFAULT_MAINTENANCE = { workers: 1 };
export const DEFAULT_VERIFY = {
  smoke: true,
  image: "registry.k8s.io/e2e-test-images/agnhost:2.53",
  gpuImage: "nvcr.io/nvidia/cuda:12.8.1-base-ubuntu24.04",
};
/** KubeSpan has the one that is usual. */
export const DEFAULT_WIREGUARD_PORT = 51_821;
export const DEFAULT_SSH = { port: 22, user: "root" };
