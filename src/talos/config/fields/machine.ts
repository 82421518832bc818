import { FREE, type Kinds, mergedBy, replaced, replacedBy, since } from "./notation.ts";

/** Settings of the node itself: kernel, environment, extensions, watchdogs. */
export const RUNTIME: Kinds = {
  EnvironmentConfig: since("1.13", { variables: { "*": "text" } }),
  EtcFileConfig: since("1.14", { name: "text", mode: "uint32", contents: "text" }),
  EventSinkConfig: { endpoint: "text" },
  ExtensionServiceConfig: {
    name: "text",
    configFiles: mergedBy(["mountPath"], [{ content: "text", mountPath: "text" }]),
    environment: ["text"],
  },
  KernelModuleConfig: since("1.14", { name: "text", parameters: ["text"] }),
  KmsgLogConfig: { name: "text", url: "url" },
  OOMConfig: {
    triggerExpression: "trigger expression",
    cgroupRankingExpression: "ranking expression",
    "strictCgroupClassOrdering?": since("1.13", "bool"),
    sampleInterval: "duration",
  },
  PCIDriverRebindConfig: { name: "text", targetDriver: "text" },
  SecurityProfileConfig: since("1.14", { "workloadIsolation?": "bool" }),
  SideroLinkConfig: { apiUrl: "url", uniqueToken: "text" },
  SysctlConfig: since("1.14", { params: { "*": "text" } }),
  SysfsConfig: since("1.14", { params: { "*": "text" } }),
  UdevRulesConfig: since("1.14", { rules: ["text"] }),
  UnattendedInstallConfig: since("1.14", {
    "reboot?": "bool",
    installer: { image: "text" },
    provisioning: { diskSelector: { match: "disk expression" }, "wipe?": "bool" },
  }),
  WatchdogTimerConfig: { device: "text", timeout: "duration" },
};

/** Certificates and images that are trusted. */
export const SECURITY: Kinds = {
  ImageVerificationConfig: since("1.13", {
    rules: replacedBy("image", [
      {
        image: "text",
        "skip?": "bool",
        "deny?": "bool",
        "keyless?": { issuer: "text", subject: "text", subjectRegex: "text" },
        "publicKey?": { certificate: "text" },
      },
    ]),
  }),
  TrustedRootsConfig: { name: "text", certificates: "text" },
};

/** Settings of cluster discovery. */
export const CLUSTER: Kinds = {
  DiscoveryIdentityConfig: since("1.14", { clusterID: "text", clusterSecret: "text" }),
  DiscoveryServiceConfig: since("1.14", { name: "text", endpoint: "url" }),
};

/** Settings of containerd: containers and registries. */
export const CRI: Kinds = {
  CRIBaseRuntimeSpecConfig: since("1.14", { overrides: replaced(FREE) }),
  CRICustomizationConfig: since("1.14", { name: "text", content: "text" }),
  ImageCacheConfig: since("1.14", { local: { "enabled?": "bool" } }),
  RegistryAuthConfig: { name: "text", username: "text", password: "text", auth: "text", identityToken: "text" },
  RegistryMirrorConfig: { name: "text", endpoints: [{ url: "url", "overridePath?": "bool" }], "skipFallback?": "bool" },
  RegistryTLSConfig: {
    name: "text",
    "clientIdentity?": { cert: "text", key: "text" },
    ca: "text",
    "insecureSkipVerify?": "bool",
  },
};

/** Containers that Talos runs beside Kubernetes. */
export const CONTAINER: Kinds = {
  ContainerConfig: since("1.14", {
    name: "text",
    image: "text",
    entrypoint: ["text"],
    args: ["text"],
    workingDir: "text",
    "runAs?": { "uid?": "int32", "gid?": "int32" },
    environment: ["text"],
    mounts: [
      {
        "userVolume?": { name: "text", destination: "text", options: ["text"] },
        "tmpfs?": { destination: "text", size: "text", options: ["text"] },
        "hostPath?": { source: "text", destination: "text", options: ["text"] },
      },
    ],
    "security?": { profile: "text", "capabilities?": { add: ["text"], drop: ["text"] }, machinedAccess: "bool" },
    "network?": { mode: "text" },
    "resources?": { "limits?": { cpu: "text", memory: "text" } },
    "dependsOn?": { paths: ["text"], networks: ["text"], "time?": "bool", containers: ["text"] },
  }),
};
