import type { Image, Process } from "../pods/program.ts";
import { InCluster } from "./in-cluster.ts";

const KINDS: Record<string, { kind: string; resource: string }> = {
  daemonset: { kind: "DaemonSet", resource: "daemonsets" },
  statefulset: { kind: "StatefulSet", resource: "statefulsets" },
  deployment: { kind: "Deployment", resource: "deployments" },
};

/** Creates a workload for every Alloy object. */
async function deployCollectors(run: Process): Promise<void> {
  const api = new InCluster(run);
  for (const alloy of await api.list("/apis/collectors.grafana.com/v1alpha1/alloys")) {
    const { name, namespace, uid } = alloy.metadata;
    const { kind = "", resource = "" } = KINDS[alloy.spec?.controller?.type ?? "daemonset"] ?? {};
    if (alloy.metadata.deletionTimestamp !== undefined || kind === "") continue;
    const labels = { "app.kubernetes.io/name": "alloy", "app.kubernetes.io/instance": name };
    const host = alloy.spec?.alloy?.mounts?.varlog === true;
    await api.ensure(`/apis/apps/v1/namespaces/${namespace}/${resource}`, {
      apiVersion: "apps/v1",
      kind,
      metadata: {
        name,
        namespace,
        labels,
        ownerReferences: [{ apiVersion: alloy.apiVersion, kind: "Alloy", name, uid, controller: true }],
      },
      spec: {
        ...(kind !== "DaemonSet" && { replicas: 1 }),
        ...(kind === "StatefulSet" && { serviceName: name }),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: "alloy",
                image: "docker.io/grafana/alloy:v1.12.0",
                args: ["run", "/etc/alloy/config.alloy"],
                volumeMounts: [
                  { name: "config", mountPath: "/etc/alloy" },
                  ...(host ? [{ name: "varlog", mountPath: "/var/log", readOnly: true }] : []),
                ],
              },
            ],
            volumes: [
              { name: "config", configMap: { name: alloy.spec.alloy.configMap.name } },
              ...(host ? [{ name: "varlog", hostPath: { path: "/var/log" } }] : []),
            ],
          },
        },
      },
    });
  }
}

/** bash with the two kubectl commands of the chart's hooks. */
async function toolbox(run: Process): Promise<number> {
  const api = new InCluster(run);
  const script = run.argv.at(-1) ?? "";
  for (const line of script.split("&&")) {
    const [, namespace = ""] = /--namespace=(\S+)/.exec(line) ?? [];
    const [, patch] = /--patch='([^']*)'/.exec(line) ?? [];
    const [, deployment] = /deployment\/(\S+)/.exec(line) ?? [];
    if (patch !== undefined && deployment !== undefined) {
      await api.merge(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`, JSON.parse(patch));
      run.log(`deployment.apps/${deployment} patched`);
    } else if (/kubectl delete .* alloys --all/.test(line)) {
      const path = `/apis/collectors.grafana.com/v1alpha1/namespaces/${namespace}/alloys`;
      for (const { metadata } of await api.list(path)) {
        await api.remove(`${path}/${metadata.name}`);
        run.log(`alloy.collectors.grafana.com "${metadata.name}" deleted`);
      }
    }
  }
  return 0;
}

export const MONITORING: readonly Image[] = [
  {
    name: "grafana/alloy-operator",
    pullMs: 3000,
    entrypoint: ["/manager"],
    readyMs: 2000,
    controls: { watches: ["alloys.collectors.grafana.com"], act: deployCollectors },
  },
  { name: "grafana/helm-chart-toolbox-kubectl", pullMs: 3000, entrypoint: ["/bin/bash"], program: toolbox },
  { name: "grafana/alloy", pullMs: 4000, entrypoint: ["/bin/alloy"], readyMs: 2000 },
  { name: "kube-state-metrics/kube-state-metrics", pullMs: 3000, entrypoint: ["/kube-state-metrics"], readyMs: 1500 },
  { name: "prometheus/node-exporter", pullMs: 2000, entrypoint: ["/bin/node_exporter"], readyMs: 1000 },
];
