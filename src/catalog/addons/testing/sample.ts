import { Secret } from "@talosmith/lib/secret.ts";
import type { Addon, ClusterFacts, ObjectsPart, ReleasePart } from "../addon.ts";
import { PRESETS } from "../presets.ts";

export const FACTS: ClusterFacts = {
  name: "homelab",
  talos: "v1.13.9",
  kubernetes: "v1.36.3",
  platform: "proxmox",
  controlPlanes: 3,
  workers: 3,
  gpuNodes: 1,
  scheduleOnControlPlanes: false,
  podSubnets: ["10.244.0.0/16"],
  serviceSubnets: ["10.96.0.0/12"],
  proxmox: { url: "https://10.0.0.2:8006", trusted: "other", hosts: ["pve1"] },
};

export const TOKEN = new Secret("kubernetes@pve!driver=11112222-3333-4444-8555-666677778888");
export const PASSWORD = new Secret("correct horse");
export const KEY = new Secret("-----BEGIN OPENSSH PRIVATE KEY-----\nnot one\n-----END OPENSSH PRIVATE KEY-----\n");
export const GIT = { url: "git@github.com:somebody/cluster.git", path: "./clusters/homelab", key: KEY };

/** By preset, and by Talos version where it matters. */
export function samples(): Record<string, Addon> {
  const loadBalancer = { addresses: ["10.0.0.240-10.0.0.250"], announce: "l2" } as const;
  const destinations = {
    metrics: { type: "prometheus", url: "https://metrics.example.org/push", username: "1", password: PASSWORD },
    logs: { type: "loki", url: "https://logs.example.org/push", username: "2", password: PASSWORD },
  } as const;
  return {
    cilium: PRESETS.cilium.make({ hubble: true, loadBalancer, gatewayApi: true }, FACTS),
    flux: PRESETS.flux.make(GIT, FACTS),
    argocd: PRESETS.argocd.make(GIT, FACTS),
    metricsServer: PRESETS.metricsServer.make({}, FACTS),
    nvidia: PRESETS.nvidia.make({}, FACTS),
    "nvidia (Talos 1.12)": PRESETS.nvidia.make({}, { ...FACTS, talos: "v1.12.11" }),
    monitoring: PRESETS.monitoring.make({ destinations }, FACTS),
    longhorn: PRESETS.longhorn.make({}, FACTS),
    localPath: PRESETS.localPath.make({}, FACTS),
    proxmoxCsi: PRESETS.proxmoxCsi.make({ token: TOKEN, classes: [{ name: "fast", storage: "local-lvm" }] }, FACTS),
    proxmoxCcm: PRESETS.proxmoxCcm.make({ token: TOKEN }, FACTS),
    talosCcm: PRESETS.talosCcm.make({}, FACTS),
    certManager: PRESETS.certManager.make({}, FACTS),
  };
}

export function releaseIn({ parts }: Addon): ReleasePart {
  const release = parts.find((part): part is ReleasePart => part.kind === "release");
  if (release === undefined) throw new Error("it has no release");
  return release;
}

export function objectsIn({ parts }: Addon, name: string): ObjectsPart["objects"] {
  const part = parts.find((one): one is ObjectsPart => one.kind === "objects" && one.name === name);
  if (part === undefined) throw new Error(`it has no objects called ${name}`);
  return part.objects;
}

/** The decoded data of a Secret. */
export function textsOf(secret: ObjectsPart["objects"][number] | undefined): Record<string, string> {
  const data = Object.entries((secret?.data ?? {}) as Record<string, string>);
  return Object.fromEntries(data.map(([key, text]) => [key, Buffer.from(text, "base64").toString("utf8")]));
}
