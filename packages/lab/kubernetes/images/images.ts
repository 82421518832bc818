import { type Image, repositoryOf } from "../pods/program.ts";
import { agnhost } from "./agnhost.ts";
import { argocd } from "./argocd.ts";
import { busybox } from "./busybox.ts";
import { CERT_MANAGER } from "./certmanager.ts";
import { certgen, ciliumAgent, ciliumOperator } from "./cilium.ts";
import { CLOUD_CONTROLLERS } from "./cloud-controllers.ts";
import { cuda } from "./cuda.ts";
import { FLUX } from "./flux.ts";
import { helm } from "./helm.ts";
import { certApprover, metricsServer } from "./kubelet-certificates.ts";
import { longhornManager } from "./longhorn.ts";
import { MONITORING } from "./monitoring.ts";
import { NVIDIA_IMAGES } from "./nvidia.ts";

const stays = (name: string, entrypoint: string, more: Partial<Image> = {}): Image => ({
  name,
  pullMs: 3000,
  entrypoint: [entrypoint],
  readyMs: 1500,
  ...more,
});

/** Every image the lab can run; the end of a repository's name decides. */
const IMAGES: readonly Image[] = [
  helm,
  busybox,
  agnhost,
  cuda,
  ciliumAgent,
  ciliumOperator,
  certgen,
  argocd,
  longhornManager,
  metricsServer,
  certApprover,
  ...FLUX,
  ...CERT_MANAGER,
  ...CLOUD_CONTROLLERS,
  ...NVIDIA_IMAGES,
  ...MONITORING,
  stays("cilium/cilium-envoy", "/usr/bin/cilium-envoy-starter"),
  stays("cilium/hubble-relay", "/usr/bin/hubble-relay"),
  stays("cilium/hubble-ui", "/docker-entrypoint.sh"),
  stays("cilium/hubble-ui-backend", "/usr/bin/backend"),
  stays("docker/library/redis", "docker-entrypoint.sh"),
  stays("dexidp/dex", "/usr/local/bin/docker-entrypoint"),
  stays("longhornio/longhorn-ui", "/docker-entrypoint.sh"),
  stays("longhornio/longhorn-share-manager", "/longhorn-share-manager"),
  stays("rancher/local-path-provisioner", "local-path-provisioner"),
  stays("sergelogvinov/proxmox-csi-node", "/bin/proxmox-csi-node"),
  stays("sig-storage/csi-attacher", "/csi-attacher"),
  stays("sig-storage/csi-provisioner", "/csi-provisioner"),
  stays("sig-storage/csi-resizer", "/csi-resizer"),
  stays("sig-storage/csi-node-driver-registrar", "/csi-node-driver-registrar"),
  stays("sig-storage/livenessprobe", "/livenessprobe"),
  stays("coredns/coredns", "/coredns"),
  stays("coredns", "/coredns"),
  stays("kube-proxy", "/usr/local/bin/kube-proxy", { proxy: true }),
  stays("flannel", "/opt/bin/flanneld", { cni: true }),
  stays("kube-apiserver", "/usr/local/bin/kube-apiserver"),
  stays("kube-controller-manager", "/usr/local/bin/kube-controller-manager"),
  stays("kube-scheduler", "/usr/local/bin/kube-scheduler"),
  stays("nginx", "/docker-entrypoint.sh", {
    answers: ({ port, path }) => {
      if (port !== 80) return undefined;
      return path === "/" ? { status: 200, body: "Welcome to nginx!\n" } : { status: 404, body: "404 Not Found\n" };
    },
  }),
  stays("stefanprodan/podinfo", "./podinfo"),
  stays("pause", "/pause", { pullMs: 1000, readyMs: 200 }),
];

/** undefined: no registry has the image. */
export function findImage(reference: string): Image | undefined {
  const repository = repositoryOf(reference);
  return IMAGES.find(({ name }) => repository === name || repository.endsWith(`/${name}`));
}
