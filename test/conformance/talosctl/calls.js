/** What people type, and what they must see. Calls that change something come last. */
export const CALLS = [
  { args: ["version", "--short"], shows: /Server:\s+.*\n.*Tag:\s+v1\.13\.9/s },
  { args: ["containers"], shows: /system\s+apid\s+.*RUNNING/ },
  {
    args: ["containers", "-k"],
    shows: /k8s\.io\s+kube-system\/kube-apiserver-cp-1\s+.*SANDBOX_READY[\s\S]*kube-apiserver:[0-9a-f]{12}/,
  },
  { node: "worker", args: ["containers", "-k"], shows: /kube-system\/cilium-/ },
  { args: ["stats"], shows: /system\s+apid\s+\d+\.\d+/ },
  { args: ["stats", "-k"], shows: /kube-system\/kube-scheduler-cp-1/ },
  { args: ["processes"], shows: /\/sbin\/init[\s\S]*kube-apiserver/ },
  { args: ["mounts"], shows: /\/dev\/sda4\s+\S+.*\/var/ },
  { args: ["usage", "/etc"], shows: /etc/ },
  { args: ["usage", "-a", "-H", "/etc"], shows: /os-release/ },
  { args: ["list", "/"], shows: /\bbin[\s\S]*etc[\s\S]*proc[\s\S]*usr[\s\S]*var/ },
  { args: ["list", "-l", "/"], shows: /Lrwxrwxrwx.*bin -> usr\/bin/ },
  { args: ["list", "-r", "-t", "f", "/etc"], shows: /os-release/ },
  { args: ["read", "/etc/os-release"], shows: /VERSION_ID=v1\.13\.9/ },
  { args: ["netstat", "-l", "-p"], shows: /:50000\s+.*LISTEN.*apid/ },
  { args: ["netstat", "-a"], shows: /ESTABLISHED/ },
  { args: ["cgroups", "--preset", "memory"], shows: /init[\s\S]*kubepods[\s\S]*podruntime[\s\S]*system/ },
  { args: ["cgroups", "--preset", "cpu"], shows: /kubepods/ },
  { args: ["cgroups", "--preset", "process"], shows: /machined|init/ },
  { args: ["image", "list"], shows: /registry\.k8s\.io\/pause/ },
  { args: ["image", "list", "--namespace", "system"], shows: /registry\.k8s\.io\/etcd/ },
  { args: ["image", "pull", "ghcr.io/siderolabs/installer:v1.13.9", "--namespace", "system"], shows: /pulled image|^\s*$/ },
  { args: ["inspect", "dependencies"], shows: /digraph/ },
  { args: ["pcap", "--duration", "200ms", "-i", "eth0"], shows: /^\s*$/ },
  { args: ["copy", "/etc", "copied"], shows: /^\s*$/ },
  { args: ["meta", "write", "0x0a", "kept"], shows: /^\s*$/ },
  { args: ["get", "metakeys"], shows: /0x0a\s+\d+\s+kept/ },
  { args: ["meta", "delete", "0x0a"], shows: /^\s*$/ },
  { args: ["config", "new", "reader.yaml", "--roles", "os:reader", "--crt-ttl", "1h"], shows: /^\s*$/ },
  { args: ["support", "-O", "support.zip", "-v"], shows: /^[\s\S]*$/ },
  { args: ["logs", "kubelet", "--tail", "2"], shows: /kubelet|Started|Health/ },
  { args: ["logs", "-k", "kube-system/kube-apiserver-cp-1:kube-apiserver"], shows: /^[\s\S]*$/ },
  { args: ["dmesg"], shows: /\[talos\]/ },
  { args: ["service"], shows: /etcd\s+Running\s+OK/ },
  { args: ["service", "etcd"], shows: /STATE\s+Running/ },
  { args: ["memory"], shows: /TOTAL/ },
  { args: ["time"], shows: /NTP-SERVER/ },
  { args: ["get", "members"], shows: /cp-1[\s\S]*worker-1/ },
  { args: ["etcd", "members"], shows: /cp-1/ },
  { args: ["etcd", "status"], shows: /3\.\d+\.\d+/ },
  { args: ["etcd", "alarm", "list"], shows: /^[\s\S]*$/ },
  { args: ["health", "--run-e2e=false", "--server=true"], shows: /^[\s\S]*$/ },
  { args: ["kubeconfig", "-"], shows: /current-context: admin@/ },
];

/** `talosctl get …`: kinds of which every control plane has something. */
export const TABLES = [
  ..."apicertificate certsans dnsupstream etcdspec hostdnsconfig imagecacheconfig kernelparamstatus kubeletconfig linkspecs manifests".split(
    " ",
  ),
  ..."mountstatus nodelabelspec staticpods".split(" "),
  ..."addresses disks discoveredvolumes extensions links machinestatus nodename rd routes services systemdisk volumestatus".split(
    " ",
  ),
];

/** Not built yet; a real node answers them. */
export const UNANSWERED = [
  ["rollback"],
  ["etcd", "snapshot", "db.snapshot"],
  ["etcd", "defrag"],
  ["upgrade", "--image", "ghcr.io/siderolabs/installer:v1.13.9", "--wait=false"],
];
