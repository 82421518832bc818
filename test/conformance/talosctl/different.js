const NO_KUBELET = "no kubelet runs on a node in a container here, so no Kubernetes does";
const NO_HARDWARE = "a card of a namespace has no bus, no maker and no alias";
const OTHER_CNI = "the demo has Cilium; the node, which has no Kubernetes, the usual manifests";

/** Differences between a control plane of the lab and a real one in container mode, each with its reason. */
export const DIFFERENT = [
  { what: /^service: only the lab: (auditd|syslogd|dashboard|udevd) /, why: "container mode does not start them" },
  { what: /^service: only the (lab|node): kubelet /, why: NO_KUBELET },
  { what: /^processes: only the lab: \S*\/(udevd|systemd-udevd|dashboard)\b/, why: "container mode does not start them" },
  {
    what: /^processes: only the lab: \/(usr\/local\/bin\/kube|coredns|cilium|pause|usr\/bin\/\S+ -namespace (k8s\.io|system -id kubelet))/,
    why: NO_KUBELET,
  },
  { what: /^processes: only the (lab|node): \/usr\/local\/bin\/etcd\b/, why: "the lab leaves out the arguments of etcd" },
  { what: /^mounts: only the node: /, why: "folders of this machine, in place of disks" },
  { what: /^netstat -l -p: only the lab: .* kube(let|-apiserver|-controller|-scheduler)$/, why: NO_KUBELET },
  { what: /^list( -l)? \/: only the lab: .*\bboot$/, why: "container mode has no boot loader" },
  { what: /^list -l \/: only the (lab|node): \S+ 0 0 (run|system|tmp)$/, why: "node.sh mounts them in its own way" },
  { what: /^image list --namespace system: only the lab: ghcr\.io\/siderolabs\/kubelet/, why: NO_KUBELET },
  { what: /^inspect dependencies: only the node: /, why: "the lab has the controllers of what it shows only" },
  { what: /^get nodelabelspec -o yaml: only the node: id tier$/, why: "the config of the node has one label more" },
  { what: /^get manifests -o yaml: only the node: id (05-flannel|10-kube-proxy)$/, why: OTHER_CNI },
  { what: /^get manifests -o yaml: only the node: \[\]\./, why: "of most objects the lab has the names only" },
  { what: /^get staticpods -o yaml: only the node: \./, why: "the lab's pods have an image and no arguments" },
  { what: /^get links -o yaml: /, why: NO_HARDWARE },
  { what: /^get machinestatus -o yaml: only the node: \.status\.unmetConditions/, why: NO_KUBELET },
  {
    what: /^get kernelparamstatus -o yaml: only the lab: id proc\.sys\.(dev|fs|kernel|net\.bridge|net\.core|user|vm)\./,
    why: "container mode does not harden the kernel, which others use, too",
  },
];
