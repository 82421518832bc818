/** Any 32 bytes are one. */
export const PUBLIC_KEY = Buffer.alloc(32, 7).toString("base64");
const FINGERPRINT = `SHA256:${Buffer.alloc(32, 9).toString("base64").replace("=", "")}`;

/** A good config of rented servers that says everything there is to say of them. What every platform knows is in everything.ts. */
export const EVERYTHING_ON_VPS = `platform: vps
cluster:
  name: homelab
  endpoint: k8s.example.com
  talos: v1.14.1
  kubernetes: v1.36.3
network:
  cidr: 203.0.113.0/24
  gateway: [203.0.113.1, "fe80::1"]
  nameservers: [9.9.9.9, "2620:fe::fe"]
vps:
  provider:
    name: hetzner
    token: \${env:HCLOUD_TOKEN}
    url: https://cloud.example.com/v1/
  ssh: { user: rescue, port: 2222, key: id, hostKey: "${FINGERPRINT}=" }
image:
  kernelArgs: [console=ttyS0]
  arch: arm64
defaults:
  all:
    ssh: { user: root }
    eraseMembers: true
  worker:
    eraseMembers: false
    ssh: { key: worker-id }
    kernelArgs: [talos.config=https://config.example.com/node]
nodes:
  - name: cp
    role: controlplane
    ip: [203.0.113.11, "2001:db8::11/64"]
    installDisk: { serial: VPS-0001, type: nvme }
    server: "1234567"
    vlan: 20
  - name: alone
    role: controlplane
    ip: [192.0.2.9/32, "2001:db8:9::9/64"]
    gateway: 172.31.1.1
    mac: bc:24:11:00:00:09
    nics:
      - { mac: "bc:24:11:00:00:12", ip: 10.20.0.11/24 }
    ssh: { host: rescue.example.com, port: 22, user: root, key: id, hostKey: "${FINGERPRINT}" }
  - name: bonded
    role: controlplane
    ip: [192.0.2.129, "2001:db8:129::129/64"]
    prefix: 25
    gateway: 192.0.2.254
    bond: { mode: active-backup, macs: ["BC:24:11:00:00:21", "BC:24:11:00:00:22"] }
    installDisk: /dev/nvme0n1
  - name: leased
    role: worker
    count: 2
    ip: [198.51.100.21, "2001:db8:21::21/64"]
    dhcp: true
firewall:
  enabled: true
  admin: [198.51.100.0/24, "2001:db8:ffff::/48"]
  open: [{ name: ingress, ports: [443], on: worker }]
wireguard:
  cidr: 10.250.0.0/24
  port: 51900
  peers:
    - { name: laptop, publicKey: "${PUBLIC_KEY}", ip: 10.250.0.100 }
`;

const key = (name: string) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${name}\n-----END OPENSSH PRIVATE KEY-----\n`;

export const EVERYTHING_ON_VPS_BESIDE = {
  files: { id: key("everybody"), "worker-id": key("workers") },
  env: { HCLOUD_TOKEN: "hcloud-token-of-a-test-that-nobody-may-see" },
};
