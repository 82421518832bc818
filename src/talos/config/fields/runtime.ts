import { type Kinds, mergedBy, since } from "./notation.ts";

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
