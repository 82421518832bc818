import { compareVersions, parseVersion } from "../version.ts";
import type { Addon, ChartOptions, ClusterFacts, Preset } from "./addon.ts";
import { releaseOf } from "./release-of.ts";

/**
 * Driver and toolkit are system extensions of a GPU's node (gpu.ts), and its modules and sysctls are in its machine config: this preset adds the
 * cluster's part.
 */
export const nvidia: Preset<ChartOptions> = {
  // docs/facts/talos.md#nvidia
  chart: {
    name: "gpu-operator",
    namespace: "gpu-operator",
    chart: "gpu-operator",
    repository: "https://helm.ngc.nvidia.com/nvidia",
    version: "v26.3.3",
  },
  make: (options, facts) => (hasDeviceInterface(facts) ? gpuOperator(options) : devicePlugin(options)),
};

/** docs/facts/talos.md#nvidia */
const DEVICE_PLUGIN = {
  name: "nvidia-device-plugin",
  namespace: "nvidia-device-plugin",
  chart: "nvidia-device-plugin",
  repository: "https://nvidia.github.io/k8s-device-plugin",
  version: "0.19.3",
};

/** From Talos 1.13 on containers get devices by CDI, which the operator needs. */
function hasDeviceInterface({ talos }: ClusterFacts): boolean {
  const [version, first] = [talos, "v1.13.0-alpha.0"].map(parseVersion);
  return version === undefined || first === undefined || compareVersions(version, first) >= 0;
}

function gpuOperator(options: ChartOptions): Addon {
  const values = {
    driver: { enabled: false },
    toolkit: { enabled: false },
    hostPaths: { driverInstallDir: "/usr/local" },
  };
  return { parts: [releaseOf({ chart: nvidia.chart, options, values, privileged: true })], machines: {} };
}

function devicePlugin(options: ChartOptions): Addon {
  const runtimeClass = {
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: "nvidia" },
    handler: "nvidia",
  };
  // Feature discovery labels the nodes that have a GPU, and the plugin runs on no others.
  const values = { runtimeClassName: "nvidia", gfd: { enabled: true } };
  return {
    parts: [
      { kind: "objects", name: "runtime-class", objects: [runtimeClass] },
      releaseOf({ chart: DEVICE_PLUGIN, options, values, privileged: true }),
    ],
    machines: {},
  };
}
