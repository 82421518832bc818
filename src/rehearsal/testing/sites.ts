/** Configs of many sites, each a folder's files by name. No test has credentials for any of them. */
export const SITES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "control planes with a virtual IP, in a large network where last numbers repeat": {
    "config.yaml": `platform: proxmox
cluster: { name: big, endpoint: k8s.corp.example, vip: 10.0.0.5, talos: v1.13.9, cni: cilium }
network: { cidr: 10.0.0.0/16, gateway: 10.0.0.1 }
proxmox:
  url: https://pve.corp.example:8006
  tls: system
  token: \${env:PVE_TOKEN}
  hosts: [rack-a, rack-b]
nodes:
  - { name: a, role: controlplane, ip: 10.0.1.11 }
  - { name: b, role: controlplane, ip: 10.0.2.11 }
  - { name: c, role: controlplane, ip: 10.0.3.11 }
`,
  },
  "both address families, linked clones, and storage addons": {
    "config.yaml": `platform: proxmox
cluster: { name: dual, endpoint: 192.168.50.5, talos: v1.13.9 }
network: { cidr: [192.168.50.0/24, "fd00:50::/64"], gateway: [192.168.50.1, "fd00:50::1"] }
image: { method: template, clone: linked, extensions: [siderolabs/iscsi-tools, siderolabs/util-linux-tools] }
proxmox:
  url: https://192.168.50.2:8006
  tls: { fingerprint: "${Array.from({ length: 32 }, () => "0A").join(":")}" }
  token: \${file:token}
  host: pve
  storage: { disks: tank, images: local }
nodes:
  - { name: cp, role: controlplane, ip: [192.168.50.11, "fd00:50::11"] }
  - { name: worker, role: worker, ip: [192.168.50.21, "fd00:50::21"], disks: [{ size: 50GiB, volume: longhorn, keep: true }] }
addons:
  longhorn: { volume: longhorn, replicas: 1 }
  metricsServer: true
`,
  },
  "flat keys": {
    "config.yml": `platform: proxmox
talos_version: v1.13.9
cluster_name: flat
cluster_vip: 192.168.9.5
vm_gateway: 192.168.9.1
proxmox_host: 192.168.9.2
proxmox_tls_fingerprint: "${Array.from({ length: 32 }, () => "0B").join(":")}"
proxmox_api_user: root@pam
proxmox_api_token_id: terraform
proxmox_api_token_secret: \${env:SECRET}
proxmox_node: pve
proxmox_ssh_host: 192.168.9.2
cilium_version: "1.17.3"
controlplane_nodes: [{ name: cp-1, ip: 192.168.9.11 }]
worker_nodes: [{ name: worker-1, ip: 192.168.9.21 }]
`,
  },
  "nodes in a file of their own, reached through a Proxmox host": {
    "cluster.yaml": `platform: proxmox
cluster: { name: hidden, endpoint: 10.10.0.11, talos: v1.13.9 }
network:
  cidr: 10.10.0.0/24
  gateway: 10.10.0.1
  via: ssh
  ssh: { key: ~/.ssh/id_pve, hostKey: "SHA256:qUTz0Zl4lWvJ0v5n8Q0pXo2l7l2oXxXHqf6b8a0XyUs" }
image: { method: iso }
proxmox:
  url: https://198.51.100.7:8006
  tls: system
  token: me@pve!deploy=01234567-89ab-cdef-0123-456789abcdef
  hosts: [pve]
  storage: { disks: local-lvm, images: iso-store }
  bridge: vmbr1
`,
    "nodes.yaml": `nodes:
  - { name: cp, role: controlplane, ip: 10.10.0.11 }
  - { name: worker, role: worker, ip: 10.10.0.21 }
`,
  },
  "devices by their addresses as root, two cards, a firewall": {
    "config.yaml": `platform: proxmox
cluster: { name: lab, endpoint: 172.16.4.11, talos: v1.13.9 }
network: { cidr: 172.16.4.0/24, gateway: 172.16.4.1 }
proxmox: { url: "https://172.16.4.2:8006", tls: system, user: root@pam, password: "\${env:ROOT}", hosts: [pve] }
firewall: { admin: [172.16.9.0/24] }
nodes:
  - { name: cp, role: controlplane, ip: 172.16.4.11 }
  - name: gpu
    role: worker
    ip: 172.16.4.31
    pci: [{ address: "0000:01:00", gpu: nvidia }]
    nics: [{ bridge: vmbr2, vlan: 20, ip: 10.20.0.31/24 }]
`,
  },
  "a base that is shared, with another environment over it": {
    "../base.yaml": `platform: metal
cluster: { name: base, endpoint: 10.77.0.5, talos: v1.13.9 }
network: { cidr: 10.77.0.0/24, gateway: 10.77.0.1 }
defaults: { all: { installDisk: /dev/nvme0n1, labels: { rack: r1 } } }
nodes: []
`,
    "config.yaml": `extends: ../base.yaml
cluster: { name: staging }
nodes:
  - { name: cp, role: controlplane, ip: 10.77.0.11, mac: "BC:24:11:00:00:11" }
  - { name: worker, role: worker, count: 2, ip: 10.77.0.21, patches: [patches/kubelet.yaml] }
`,
    "patches/kubelet.yaml": "machine: { kubelet: { extraArgs: { max-pods: '200' } } }\n",
  },
  "rented servers in different networks": {
    "config.yaml": `platform: vps
cluster: { name: far, endpoint: 203.0.113.7, talos: v1.13.9 }
network: { nameservers: [1.1.1.1] }
vps: { provider: contabo, ssh: { key: "\${file:/nowhere/key}" } }
firewall: { admin: [198.51.100.4/32], open: [{ name: web, ports: [443] }] }
nodes:
  - { name: one, role: controlplane, ip: 203.0.113.7, prefix: 24, gateway: 203.0.113.1, installDisk: { serial: QM0001 }, ssh: { hostKey: first } }
  - { name: two, role: worker, ip: 192.0.2.7, prefix: 25, gateway: 192.0.2.1, installDisk: /dev/vda, ssh: { hostKey: first, port: 2200 } }
`,
  },
};
