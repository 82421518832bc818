import { TOKEN } from "../../../../config/testing/config-in-memory.ts";

/** A good config on Proxmox that says everything there is to say of machines. What every platform knows is in everything.ts. */
export const EVERYTHING_ON_PROXMOX = `platform: proxmox
cluster:
  name: homelab
  endpoint: 10.10.0.5
  talos: v1.14.1
  kubernetes: v1.36.3
  cni: cilium
network:
  cidr: 10.10.0.0/24
  gateway: 10.10.0.1
image:
  method: template
  clone: linked
  secureboot: true
proxmox:
  url: https://192.168.122.70:8006
  tls: system
  user: root@pam
  password: \${env:PROXMOX_PASSWORD}
  hosts: [pve1, pve2]
  storage: { disks: ceph, images: nfs }
  bridge: vmbr9
  pool: clusters/talos
  ssh: { host: pve1.home.arpa, port: 2222, user: admin, key: id }
defaults:
  all:
    sockets: 2
    cpu: custom-talos
    cpuFlags: [+aes, "-pcid"]
    cpuUnits: 200
    diskFlags: { ssd: false, iothread: true, cache: writeback }
    controller: virtio
    tags: [talos, talos]
  worker:
    disks: [{ size: 10GiB }]
nodes:
  - name: cp
    role: controlplane
    count: 3
    ip: 10.10.0.11
    vmid: 1011
    host: pve1
    bridge: vmbr1
    vlan: 10
    storage: { disks: local-zfs }
    cores: 2
    memory: 8GiB
    disk: 1TiB
    balloon: 4GiB
    machine: pc-i440fx-9.2+pve1
    firmware: ovmf
    tpm: true
    encryption: { state: tpm, ephemeral: tpm }
    serial: false
    display: none
    agent: false
    onboot: false
    startup: { order: 1, up: 30, down: 60 }
    pool: protected
    protection: true
    description: |
      under the stairs
      second shelf
    nics:
      - { bridge: vmbr2, vlan: 20, queues: 4, firewall: true, ip: [10.20.0.11/24, "fd00:20::9/64"] }
      - { vlans: [{ id: 30, ip: 10.30.0.11/24 }] }
  - name: gpu
    role: worker
    ip: 10.10.0.31
    affinity: "0-3,8"
    hugepages: 1GiB
    memory: 32GiB
    pci: [{ mapping: rtx4090, gpu: nvidia }, 01:00, { address: 0000:C1:00.1 }]
    usb: [{ mapping: zigbee }, "046D:c52b", { id: 1-2.3 }]
    disks:
      - { size: 500GiB, volume: models, keep: true, filesystem: ext4, encryption: tpm }
      - { size: 1TiB, storage: local-lvm, name: ceph, flags: { backup: false, discard: false, cache: none } }
      - { size: 20GiB, volume: a-volume-with-a-name-of-its-own, raw: true }
      - { size: 5GiB }
    volumes: [{ name: scratch, disk: { size: ">= 1TB" }, minSize: 100GiB, encryption: tpm }]
    tpm: true
    nics: [{ mac: "bc:24:11:00:00:13", dhcp: true }]
addons:
  cilium:
    hubble: true
    loadBalancer: { addresses: [10.10.0.240-10.10.0.250, 10.99.0.0/28], announce: bgp }
    bgp: { asn: 64512, peers: [{ address: 10.10.0.1, asn: 64500 }] }
    gatewayApi: { version: v1.4.1 }
  proxmoxCcm: { token: "\${env:CSI_TOKEN}" }
  proxmoxCsi:
    token: \${env:CSI_TOKEN}
    region: home
    classes:
      - { name: fast, storage: ceph, default: true, reclaim: retain }
      - { name: slow, storage: nfs }
`;

/** The tokens of the drivers inside the cluster. */
export const CSI_TOKEN = "csi@pve!kubernetes=6f2d4c1e-90ab-4c3d-8e7f-102938475665";

export const EVERYTHING_ON_PROXMOX_BESIDE = {
  files: { id: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----\n" },
  env: { PROXMOX_TOKEN: TOKEN, PROXMOX_PASSWORD: "correct horse battery staple", CSI_TOKEN },
};
