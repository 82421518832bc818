/** A good config on metal that says everything there is to say, and the files it refers to. */
export const EVERYTHING = `platform: metal
cluster:
  name: homelab
  endpoint: 10.10.0.5
  talos: v1.14.1
  kubernetes: v1.37.0
  contract: v1.13
  cni: none
  scheduleOnControlPlanes: true
  podSubnets: [10.42.0.0/16, "fd42::/56"]
  serviceSubnets: [10.43.0.0/16, "fd43::/112"]
  dnsDomain: home.arpa
  certSANs: [k8s.home.arpa, "*.home.arpa", "FD00:0:0:0:0:0:0:1"]
  kubeletCertificates: true
  talosApiAccess:
    roles: [os:reader, os:etcd:backup]
    namespaces: [kube-system]
  externalCloudProvider: true
  discovery: true
  kubespan: true
network:
  cidr: [10.10.0.0/24, "fd00:10:0::/64"]
  gateway: [10.10.0.1, "fd00:10::0001"]
  nameservers: [10.10.0.1, "fd00:10::1"]
  timeServers: [time.cloudflare.com, /dev/ptp0]
  mtu: 9000
  proxy:
    http: http://proxy.home.arpa:3128
    https: http://proxy.home.arpa:3128
    except: [.home.arpa, 10.0.0.0/8]
image:
  factory: https://factory.home.arpa/
  extensions: [siderolabs/zfs]
  kernelArgs: [console=ttyS0]
  arch: arm64
  secureboot: true
defaults:
  all:
    installDisk: { size: ">= 100GB", serial: S1, model: Samsung*, wwid: eui.1, busPath: /pci0000:00/*, type: nvme }
    labels: { tier: general, zone: a }
    annotations: { example.com/note: "any text: at all" }
    taints: [dedicated=all:NoSchedule]
    sysctls: { vm.nr_hugepages: 1024, net.core.somaxconn: "65535" }
    kernelModules: [nbd, { name: zfs, parameters: [zfs_arc_max=1] }]
    extensions: [siderolabs/iscsi-tools]
    kernelArgs: [quiet]
    patches: [{ machine: { env: { A: b } } }]
    ephemeral: { minSize: 20GiB, maxSize: 60GiB, disk: /dev/sdb }
    encryption: { state: nodeID, ephemeral: { kms: "https://kms.home.arpa:4050" } }
  worker:
    labels: { zone: b }
    patches: [patches/worker.yaml]
    volumes:
      - { name: data, size: 100GiB }
nodes:
  - name: cp
    role: controlplane
    ip: [10.10.0.11, "fd00:10::11"]
    mac: bc:24:11:00:00:11
    gateway: 192.168.9.1
    vlan: 10
    nics:
      - mac: bc:24:11:00:00:12
        ip: 10.20.0.11/24
        mtu: 9000
        routes: [{ to: 10.30.0.0/16, via: 10.20.0.1 }]
        vlans: [{ id: 30, ip: [10.40.0.11/24, "fd40::0:11/64"], mtu: 1500 }]
      - { mac: "BC:24:11:00:00:13", dhcp: true }
  - name: worker
    role: worker
    ip: [10.10.0.21, "fd00:10::21"]
    gpu: nvidia-lts
    bond:
      mode: 802.3ad
      macs: [bc:24:11:00:00:21, "BC:24:11:00:00:22"]
      miimon: 100
      lacpRate: fast
      xmitHashPolicy: layer3+4
    installDisk: /dev/nvme0n1
    taints: [{ key: gpu, effect: NoExecute }, "dedicated:PreferNoSchedule"]
    labels: { gpu: true }
    kernelModules: [{ name: nbd, parameters: [nbds_max=16] }]
    patches: [patches/worker.yaml, { machine: { files: [{ permissions: 0644 }] } }]
    volumes:
      - { name: fast, kind: raw, disk: { type: nvme }, minSize: 10GiB, maxSize: 1TiB, grow: true, encryption: tpm }
      - name: data
        disk: /dev/sdc
        minSize: 512MiB
        filesystem: ext4
        encryption: { passphrase: "\${env:PASSPHRASE}" }
      - { name: swap, kind: swap, size: 4GiB, disk: /dev/sdd }
patches:
  all: [patches/all.yaml]
  controlplane: [{ cluster: { allowSchedulingOnControlPlanes: true } }]
  worker: []
registries:
  docker.io: { mirrors: https://mirror.home.arpa/, overridePath: true, skipFallback: true }
  "*": { mirrors: [http://10.0.0.9:5000, "https://[fd00::9]:5000/v2/x"] }
  registry.home.arpa:5000:
    username: robot
    password: \${env:REGISTRY_PASSWORD}
    ca: ca.pem
  old.home.arpa: { insecure: true }
firewall:
  admin: [192.168.1.0/24, "fd00:1:0::/64"]
  open:
    - { name: ingress, ports: [80, "443", "8000-9000"], on: worker }
    - { name: dns, ports: [53], protocol: udp, from: [10.0.0.0/8] }
addons:
  helmImage: registry.home.arpa:5000/helm:3.18.6
  cilium: false
  secrets:
    - { name: registry, namespace: apps, data: { token: "\${env:SECRET_TEXT}", number: 7 } }
    - { name: plain, namespace: kube-system, type: example.com/own, data: { count: "\${env:SECRET_TEXT}" } }
  talosCcm: { namespace: talos-ccm }
  metricsServer: { version: 3.13.1, values: { replicas: 2, args: ["--v=2", 0644] } }
  certManager: true
  longhorn: { replicas: 2, volume: data, repository: https://charts.home.arpa/longhorn/ }
  localPath: { path: /var/mnt/local, defaultClass: false }
  nvidia: {}
  monitoring:
    destinations:
      metrics: { type: prometheus, url: https://metrics.home.arpa/push, username: "1", password: "\${env:SECRET_TEXT}" }
      logs: { type: loki, url: https://logs.home.arpa/push }
    logs: true
  manifests:
    - manifests/apps.yaml
    - { url: https://example.org/install.yaml, sha256: "${"0123456789abcdef".repeat(4)}" }
    - { name: settings, inline: { apiVersion: v1, kind: ConfigMap, metadata: { name: settings, namespace: apps }, data: { a: "\${b}" } } }
  charts:
    - name: ingress
      chart: ingress-nginx
      repository: oci://registry.home.arpa/charts
      version: 1.2.3
      namespaceLabels: { pod-security.kubernetes.io/enforce: privileged }
      values: { auth: { users: [{ password: "\${env:SECRET_TEXT}" }], enabled: yes } }
  flux:
    url: ssh://git@git.home.arpa:2222/me/cluster.git
    branch: live
    path: clusters/homelab
    interval: 5m
    key: deploy-key
    knownHosts: \${file:known_hosts}
    ageKey: \${file:age.agekey}
  argocd: { url: https://git.home.arpa/me/apps, username: git, password: "\${env:SECRET_TEXT}", path: apps }
maintenance: { workers: 50% }
backup: { recipients: [age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p] }
verify:
  smoke: false
  image: registry.home.arpa:5000/agnhost:2.53
  gpuImage: registry.home.arpa:5000/cuda:12
`;

export const PEM = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

export const AGE_KEY = `AGE-SECRET-KEY-1${"Q".repeat(58)}`;

export const EVERYTHING_BESIDE = {
  files: {
    "age.agekey": `# created: 2026-11-16\n${AGE_KEY}\n`,
    "deploy-key": "-----BEGIN OPENSSH PRIVATE KEY-----\nZGVwbG95LWtleQ==\n-----END OPENSSH PRIVATE KEY-----\n",
    known_hosts: "[git.home.arpa]:2222 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n",
    "manifests/apps.yaml":
      "apiVersion: v1\nkind: Namespace\nmetadata: { name: apps }\n---\napiVersion: v1\nkind: List\nitems:\n  - { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: apps }, data: { mode: on } }\n",
    "ca.pem": PEM,
    "patches/all.yaml":
      '# for all\nmachine:\n  sysctls:\n    vm.swappiness: "1"\n---\napiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\n',
    "patches/worker.yaml": 'machine:\n  kubelet:\n    extraArgs: { v: "2" }\n',
  },
  env: { PASSPHRASE: "correct horse battery", REGISTRY_PASSWORD: "hunter2hunter2", SECRET_TEXT: "swordfish-swordfish" },
};
