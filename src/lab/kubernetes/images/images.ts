import { type Image, repositoryOf } from "../pods/program.ts";
import { busybox } from "./busybox.ts";
import { ciliumAgent, ciliumOperator } from "./cilium.ts";
import { helm } from "./helm.ts";

const stays = (name: string, entrypoint: string, more: Partial<Image> = {}): Image => ({
  name,
  pullMs: 3000,
  entrypoint: [entrypoint],
  readyMs: 1500,
  ...more,
});

/** Every image the lab can run; the last words of a repository's name decide. */
const IMAGES: readonly Image[] = [
  helm,
  busybox,
  ciliumAgent,
  ciliumOperator,
  stays("cilium/cilium-envoy", "/usr/bin/cilium-envoy-starter"),
  stays("cilium/hubble-relay", "/usr/bin/hubble-relay"),
  stays("coredns/coredns", "/coredns"),
  stays("coredns", "/coredns"),
  stays("kube-proxy", "/usr/local/bin/kube-proxy", { proxy: true }),
  stays("flannel", "/opt/bin/flanneld", { cni: true }),
  stays("kube-apiserver", "/usr/local/bin/kube-apiserver"),
  stays("kube-controller-manager", "/usr/local/bin/kube-controller-manager"),
  stays("kube-scheduler", "/usr/local/bin/kube-scheduler"),
  stays("metrics-server/metrics-server", "/metrics-server"),
  stays("nginx", "/docker-entrypoint.sh"),
  stays("pause", "/pause", { pullMs: 1000, readyMs: 200 }),
];

/** undefined: no registry has it. */
export function findImage(reference: string): Image | undefined {
  const repository = repositoryOf(reference);
  return IMAGES.find(({ name }) => repository === name || repository.endsWith(`/${name}`));
}
