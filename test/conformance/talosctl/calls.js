/** No words: the call is answered, and prints to stderr or nothing. */
const NOTHING = /^\s*$/;
const INSTALLER = "ghcr.io/siderolabs/installer:v1.13.9";

/** What people type, what they must see, and which file there must be afterwards. */
export const CALLS = [
  { args: ["version"], shows: /Server:\s+.*\n\s+Tag:\s+v1\.13\.9\n\s+SHA:\s+[0-9a-f]{8}\n/ },
  { args: ["containers"], shows: /system\s+apid\s+.*RUNNING/ },
  {
    args: ["containers", "-k"],
    shows: /k8s\.io\s+kube-system\/kube-apiserver-cp-1\s+.*SANDBOX_READY[\s\S]*kube-apiserver:[0-9a-f]{12}/,
  },
  { node: "worker", args: ["containers", "-k"], shows: /kube-system\/cilium-/ },
  { args: ["stats"], shows: /system\s+apid\s+\d+\.\d+/ },
  { args: ["stats", "-k"], shows: /kube-system\/kube-scheduler-cp-1/ },
  { args: ["processes"], shows: /kube-apiserver[\s\S]*\/sbin\/init/ },
  { args: ["mounts"], shows: /\/dev\/sda4\s+\S+.*\/var/ },
  { args: ["usage", "/etc"], shows: /\d+\s+kubernetes[\s\S]*\d+\s+\.\n/ },
  { args: ["usage", "-a", "-H", "/etc"], shows: /os-release/ },
  { args: ["list", "/"], shows: /\bbin[\s\S]*etc[\s\S]*proc[\s\S]*usr[\s\S]*var/ },
  { args: ["list", "-l", "/"], shows: /Lrwxrwxrwx.*bin -> usr\/bin/ },
  { args: ["list", "-r", "-t", "f", "/etc"], shows: /os-release/ },
  { args: ["read", "/etc/os-release"], shows: /VERSION_ID=v1\.13\.9/ },
  { args: ["netstat", "-l", "-p"], shows: /:50000\s+.*LISTEN.*apid/ },
  { args: ["netstat", "-a"], shows: /ESTABLISHED/ },
  ...["cpu", "cpuset", "io", "memory", "process", "psi", "swap"].map((preset) => ({
    args: ["cgroups", "--preset", preset],
    shows: /init[\s\S]*kubepods[\s\S]*kube-apiserver[\s\S]*podruntime[\s\S]*etcd[\s\S]*system[\s\S]*apid/,
  })),
  { args: ["image", "list"], shows: /registry\.k8s\.io\/pause/ },
  { args: ["image", "list", "--namespace", "system"], shows: /registry\.k8s\.io\/etcd/ },
  { args: ["image", "pull", INSTALLER, "--namespace", "system"], shows: NOTHING },
  { args: ["image", "list", "--namespace", "system"], shows: new RegExp(INSTALLER) },
  { args: ["inspect", "dependencies"], shows: /digraph[\s\S]*etcd\.SpecController/ },
  { args: ["pcap", "--duration", "200ms", "-i", "eth0"], shows: NOTHING },
  { args: ["pcap", "--duration", "200ms", "-i", "eth0", "-o", "eth0.pcap"], shows: NOTHING, makes: "eth0.pcap" },
  { args: ["copy", "/etc", "copied"], shows: NOTHING, makes: "copied/os-release" },
  { args: ["meta", "write", "0x0a", "kept"], shows: NOTHING },
  { args: ["get", "metakeys"], shows: /0x0a\s+\d+\s+kept/ },
  { args: ["meta", "delete", "0x0a"], shows: NOTHING },
  { args: ["config", "new", "reader.yaml", "--roles", "os:reader", "--crt-ttl", "1h"], shows: NOTHING, makes: "reader.yaml" },
  { args: ["support", "-O", "support.zip", "-v"], shows: /getting processes snapshot/, makes: "support.zip" },
  { args: ["logs", "kubelet", "--tail", "2"], shows: /Started task kubelet/ },
  { args: ["logs", "-k", "kube-system/kube-apiserver-cp-1:kube-apiserver"], shows: NOTHING },
  { args: ["dmesg"], shows: /\[talos\]/ },
  { args: ["service"], shows: /etcd\s+Running\s+OK/ },
  { args: ["service", "etcd"], shows: /STATE\s+Running/ },
  { args: ["memory"], shows: /TOTAL/ },
  { args: ["time"], shows: /NTP-SERVER/ },
  { args: ["get", "members"], shows: /cp-1[\s\S]*worker-1/ },
  { args: ["etcd", "members"], shows: /cp-1/ },
  { args: ["etcd", "status"], shows: /3\.\d+\.\d+/ },
  { args: ["etcd", "alarm", "list"], shows: NOTHING },
  // It opens the file with bbolt, walks through all of it and counts the keys.
  { args: ["etcd", "snapshot", "db.snapshot"], shows: /total keys [1-9]\d/, makes: "db.snapshot" },
  { args: ["health", "--run-e2e=false", "--server=true"], shows: NOTHING },
  { args: ["kubeconfig", "-"], shows: /current-context: admin@/ },
];

/** `talosctl get …`: kinds of which every control plane has something. Those of the first two lines were empty once. */
export const TABLES = [
  ..."apicertificate certsans dnsupstream etcdspec hostdnsconfig imagecacheconfig kernelparamstatus kubeletconfig".split(" "),
  ..."linkspecs manifests mountstatus nodelabelspec staticpods".split(" "),
  ..."addresses disks discoveredvolumes extensions links machinestatus nodename rd routes services systemdisk".split(" "),
  "volumestatus",
];

/** What the lab does not do yet, and refuses as a node refuses what it does not know. */
export const REFUSED = [["rollback"], ["etcd", "defrag"], ["upgrade", "--image", INSTALLER, "--wait=false"]];
