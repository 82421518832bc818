import { type Image, repositoryOf } from "../pods/program.ts";
import { agnhost } from "./agnhost.ts";
import { argocd } from "./argocd.ts";
import { busybox } from "./busybox.ts";
import { CERT_MANAGER } from "./certmanager.ts";
import { certgen, ciliumAgent, ciliumOperator } from "./cilium.ts";
import { CLOUD_CONTROLLERS } from "./cloud-controllers.ts";
import { FLUX } from "./flux.ts";
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

/** A CUDA base image. It does not contain nvidia-smi, which comes with the driver in every container that has a GPU. */
const cuda: Image = {
  name: "nvidia/cuda",
  pullMs: 6000,
  entrypoint: ["/opt/nvidia/nvidia_entrypoint.sh"],
  program: async (run) => {
    const [command = ""] = run.argv;
    const devices = (run.env.NVIDIA_VISIBLE_DEVICES ?? "").split(",").filter((id) => id.startsWith("GPU-"));
    if (command.replace(/^.*\//, "") !== "nvidia-smi" || devices.length === 0) {
      run.log(`exec: ${JSON.stringify(command)}: executable file not found in $PATH`);
      return 127;
    }
    for (const [n, id] of devices.entries()) run.log(`GPU ${n}: NVIDIA GPU (UUID: ${id})`);
    return 0;
  },
};

/** The real helm's command line, over the lab's network. */
const helm: Image = {
  name: "alpine/helm",
  pullMs: 5000,
  entrypoint: ["helm"],
  // Imported late: only clusters with addons need the template engine.
  program: async (run) => (await import("../helm/command.ts")).helmCommand(run),
};

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
