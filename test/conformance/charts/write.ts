// Prints every preset's addon, with all it can be told, as one line of JSON: what real charts are rendered with.

import { Secret } from "@talosmith/lib/secret.ts";
import type { ClusterFacts } from "../../../src/catalog/addons/addon.ts";
import { PRESETS } from "../../../src/catalog/addons/presets.ts";

const facts: ClusterFacts = {
  name: "homelab",
  talos: "v1.13.9",
  kubernetes: "v1.36.3",
  platform: "proxmox",
  controlPlanes: 3,
  workers: 3,
  gpuNodes: 1,
  scheduleOnControlPlanes: false,
  podSubnets: ["10.244.0.0/16", "fd00:10:244::/56"],
  serviceSubnets: ["10.96.0.0/12", "fd00:10:96::/112"],
  proxmox: { url: "https://10.0.0.2:8006", trusted: "other", hosts: ["pve1"] },
};

const token = new Secret("kubernetes@pve!driver=00000000-0000-4000-8000-000000000000");
const password = new Secret("a password");
const key = new Secret("-----BEGIN OPENSSH PRIVATE KEY-----\n…");
const git = { url: "git@github.com:somebody/cluster.git", path: "./clusters/homelab", key };
const l2 = {
  addresses: ["10.0.0.240-10.0.0.250", "10.0.1.0/28", "10.0.2.1"],
  announce: "l2",
  interfaces: ["^eth[0-9]+"],
} as const;
const bgp = {
  asn: 65010,
  peers: [
    { address: "10.0.0.1", asn: 65000 },
    { address: "fd00::1", asn: 65000 },
  ],
};

const addons = {
  cilium: PRESETS.cilium.make({ hubble: true, loadBalancer: l2, gatewayApi: true }, facts),
  "cilium plain": PRESETS.cilium.make({}, { ...facts, controlPlanes: 1, workers: 0, podSubnets: ["10.244.0.0/16"] }),
  "cilium bgp": PRESETS.cilium.make({ loadBalancer: { addresses: ["10.0.1.0/28"], announce: "bgp" }, bgp }, facts),
  flux: PRESETS.flux.make(git, facts),
  argocd: PRESETS.argocd.make(git, facts),
  metricsServer: PRESETS.metricsServer.make({}, facts),
  nvidia: PRESETS.nvidia.make({}, facts),
  "nvidia 1.12": PRESETS.nvidia.make({}, { ...facts, talos: "v1.12.11" }),
  monitoring: PRESETS.monitoring.make(
    {
      destinations: {
        metrics: { type: "prometheus", url: "https://metrics.example.org/api/prom/push", username: "1", password },
        logs: { type: "loki", url: "https://logs.example.org/loki/api/v1/push", username: "2", password },
        all: { type: "otlp", url: "https://otlp.example.org", password },
      },
    },
    facts,
  ),
  longhorn: PRESETS.longhorn.make({ volume: "longhorn" }, facts),
  localPath: PRESETS.localPath.make({ defaultClass: true }, facts),
  proxmoxCsi: PRESETS.proxmoxCsi.make({ token, classes: [{ name: "fast", storage: "local-lvm", default: true }] }, facts),
  proxmoxCcm: PRESETS.proxmoxCcm.make({ token }, facts),
  talosCcm: PRESETS.talosCcm.make({}, facts),
  certManager: PRESETS.certManager.make({}, facts),
};
process.stdout.write(JSON.stringify(addons));
