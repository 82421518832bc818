import { FREE, type Keys, mergedBy, replaced, since } from "./notation.ts";

const VOLUME_MOUNT: Keys = { hostPath: "text", mountPath: "text", readonly: "bool" };
const RESOURCES: Keys = { requests: FREE, limits: FREE };

/** `cluster` of the original document. */
export const CLUSTER: Keys = {
  id: "text",
  secret: "text",
  "controlPlane?": { "endpoint?": "url", localAPIServerPort: "int" },
  clusterName: "text",
  "network?": {
    "cni?": {
      name: "text",
      urls: ["text"],
      "flannel?": { extraArgs: ["text"], "kubeNetworkPoliciesEnabled?": since("1.13", "bool") },
    },
    dnsDomain: "text",
    podSubnets: replaced(["text"]),
    serviceSubnets: replaced(["text"]),
  },
  token: "text",
  aescbcEncryptionSecret: "text",
  secretboxEncryptionSecret: "text",
  "ca?": "certificate+key",
  acceptedCAs: ["certificate"],
  "aggregatorCA?": "certificate+key",
  "serviceAccount?": "key",
  "apiServer?": {
    image: "text",
    extraArgs: { "*": since("1.13", "argument", "text") },
    extraVolumes: [VOLUME_MOUNT],
    env: { "*": "text" },
    certSANs: ["text"],
    "disablePodSecurityPolicy?": "bool",
    admissionControl: mergedBy(["name"], [{ name: "text", configuration: FREE }]),
    auditPolicy: replaced(FREE),
    "resources?": RESOURCES,
    authorizationConfig: [{ type: "text", name: "text", webhook: FREE }],
  },
  "controllerManager?": {
    image: "text",
    extraArgs: { "*": since("1.13", "argument", "text") },
    extraVolumes: [VOLUME_MOUNT],
    env: { "*": "text" },
    "resources?": RESOURCES,
  },
  "proxy?": { "disabled?": "bool", image: "text", mode: "text", extraArgs: { "*": since("1.13", "argument", "text") } },
  "scheduler?": {
    image: "text",
    extraArgs: { "*": since("1.13", "argument", "text") },
    extraVolumes: [VOLUME_MOUNT],
    env: { "*": "text" },
    "resources?": RESOURCES,
    config: FREE,
  },
  "discovery?": {
    "enabled?": "bool",
    registries: { kubernetes: { "disabled?": "bool" }, service: { "disabled?": "bool", endpoint: "text" } },
  },
  "etcd?": {
    image: "text",
    "ca?": "certificate+key",
    extraArgs: { "*": since("1.13", "argument", "text") },
    subnet: "text",
    advertisedSubnets: ["text"],
    listenSubnets: ["text"],
  },
  "coreDNS?": { "disabled?": "bool", image: "text" },
  "externalCloudProvider?": { "enabled?": "bool", manifests: ["text"] },
  extraManifests: ["text"],
  extraManifestHeaders: { "*": "text" },
  inlineManifests: [{ name: "text", contents: "text" }],
  "adminKubeconfig?": { certLifetime: "duration" },
  "allowSchedulingOnMasters?": "bool",
  "allowSchedulingOnControlPlanes?": "bool",
};
