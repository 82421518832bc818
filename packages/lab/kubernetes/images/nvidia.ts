import type { Loose } from "../objects.ts";
import type { Image, Process } from "../pods/program.ts";
import { InCluster } from "./in-cluster.ts";

const PRESENT = "feature.node.kubernetes.io/pci-10de.present";
const DEPLOY = "nvidia.com/gpu.deploy.device-plugin";
const NVIDIA = "0x10de";

const cards = (files: Readonly<Record<string, string>>, root: string) =>
  Object.entries(files).filter(
    ([path, text]) => path.startsWith(`${root}/bus/pci/devices/`) && path.endsWith("/vendor") && text.trim() === NVIDIA,
  );

/** One image for three programs; the worker reports the machine's hardware. */
const featureDiscovery: Image = {
  name: "nfd/node-feature-discovery",
  pullMs: 3000,
  entrypoint: ["nfd-master"],
  readyMs: 2000,
  controls: {
    watches: ["nodes"],
    act: async (run) => {
      if (run.argv[0] !== "nfd-worker") return;
      await label(run, { [PRESENT]: cards(run.files, "/host-sys").length > 0 ? "true" : null });
    },
  },
};

async function label(run: Process, labels: Record<string, string | null>): Promise<void> {
  const api = new InCluster(run);
  const path = `/api/v1/nodes/${run.env.NODE_NAME}`;
  const { metadata } = (await api.read(path)) ?? { metadata: {} };
  const differs = Object.entries(labels).some(([key, value]) => (metadata.labels?.[key] ?? null) !== value);
  if (differs) await api.merge(path, { metadata: { labels } });
}

/** It needs the driver's own program to query the cards. */
const devicePlugin: Image = {
  name: "nvidia/k8s-device-plugin",
  pullMs: 5000,
  entrypoint: ["nvidia-device-plugin"],
  program: async (run) => {
    run.log("I0101 00:00:00.000000       1 main.go:363] Retrieving plugins.");
    await run.sleep(2000);
    return "stays";
  },
  announces: ([command = ""], files) => {
    if (command !== "nvidia-device-plugin") return {};
    const count = Object.keys(files).filter((path) => /\/nvidia\d+$/.test(path)).length;
    return count === 0 ? {} : { "nvidia.com/gpu": String(count) };
  },
};

/** Creates the workloads of a ClusterPolicy on the nodes with a card. Driver and toolkit are images that do not work on Talos nodes. */
async function followPolicy(run: Process): Promise<void> {
  const api = new InCluster(run);
  const [policy] = await api.list("/apis/nvidia.com/v1/clusterpolicies");
  if (!policy) return;
  for (const node of await api.list("/api/v1/nodes")) {
    const { labels = {}, name } = node.metadata;
    if (labels[PRESENT] !== "true" || labels[DEPLOY] !== undefined) continue;
    await api.merge(`/api/v1/nodes/${name}`, { metadata: { labels: { [DEPLOY]: "true", "nvidia.com/gpu.present": "true" } } });
  }
  const namespace = run.env.OPERATOR_NAMESPACE ?? "gpu-operator";
  const sets = `/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  const parts = [
    ["driver", "nvidia-driver-daemonset"],
    ["toolkit", "nvidia-container-toolkit-daemonset"],
    ["devicePlugin", "nvidia-device-plugin-daemonset"],
  ] as const;
  let ready = true;
  for (const [part, name] of parts) {
    const its = policy.spec[part] ?? {};
    const there = await api.read(`${sets}/${name}`);
    if (its.enabled === false) {
      if (there) await api.remove(`${sets}/${name}`);
      continue;
    }
    const wanted = daemonSet(name, namespace, its, policy.spec);
    if (!there) await api.create(sets, wanted);
    const { desiredNumberScheduled = 0, numberReady = 0 } = there?.status ?? {};
    ready &&= there !== undefined && numberReady >= desiredNumberScheduled;
  }
  await api.report(`/apis/nvidia.com/v1/clusterpolicies/${policy.metadata.name}`, policy, {
    namespace,
    state: ready ? "ready" : "notReady",
  });
}

function daemonSet(
  name: string,
  namespace: string,
  { repository, image, version }: Loose,
  { hostPaths, daemonsets }: Loose,
): Loose {
  const plugin = name.includes("device-plugin");
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace, labels: { app: name } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          nodeSelector: { [DEPLOY]: "true" },
          tolerations: daemonsets?.tolerations ?? [],
          priorityClassName: daemonsets?.priorityClassName,
          ...(plugin && {
            initContainers: [
              {
                name: "driver-validation",
                image: "nvcr.io/nvidia/gpu-operator:lab",
                command: ["nvidia-validator"],
                securityContext: { privileged: true },
                volumeMounts: [{ name: "driver-install-dir", mountPath: "/driver-root" }],
              },
            ],
          }),
          containers: [
            {
              name: name.replace("-daemonset", ""),
              image: `${repository}/${image}:${version}`,
              ...(plugin && { command: ["nvidia-device-plugin"] }),
              securityContext: { privileged: true },
              volumeMounts: [{ name: "dev", mountPath: "/dev" }],
            },
          ],
          volumes: [
            { name: "dev", hostPath: { path: "/dev" } },
            { name: "driver-install-dir", hostPath: { path: hostPaths?.driverInstallDir ?? "/run/nvidia/driver" } },
          ],
        },
      },
    },
  };
}

/** The operator; started as a validator, it checks that the driver is in the configured place. */
const operator: Image = {
  name: "nvidia/gpu-operator",
  pullMs: 5000,
  entrypoint: ["gpu-operator"],
  program: async (run) => {
    const [command = ""] = run.argv;
    if (command.endsWith("manage-crds")) return 0;
    if (command !== "nvidia-validator") {
      await run.sleep(3000);
      return "stays";
    }
    if (Object.keys(run.files).some((path) => path === "/driver-root/bin/nvidia-smi")) return 0;
    run.log('time="2026-01-01T00:00:00Z" level=info msg="Attempting to validate a pre-installed driver on the host"');
    run.log(
      'time="2026-01-01T00:00:00Z" level=error msg="failed to validate the driver, cannot find nvidia-smi in the driver root"',
    );
    return 1;
  },
  controls: { watches: ["clusterpolicies.nvidia.com", "nodes", "daemonsets.apps"], act: followPolicy },
};

export const NVIDIA_IMAGES: readonly Image[] = [featureDiscovery, devicePlugin, operator];
