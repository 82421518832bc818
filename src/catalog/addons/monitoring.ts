import type { Secret } from "@talosmith/lib/secret.ts";
import type { AddonPart, ChartOptions, Manifest, Preset, Values } from "./addon.ts";
import { namespaceObjects } from "./pod-security.ts";
import { releaseOf } from "./release-of.ts";
import { secretObject } from "./secret-object.ts";

export interface MonitoringDestination {
  readonly type: "prometheus" | "loki" | "otlp";
  readonly url: string;
  readonly username?: string;
  /** Without a user name, it is sent as a bearer token. */
  readonly password?: Secret;
}

export interface MonitoringOptions extends ChartOptions {
  /** The destinations of metrics and logs, by name. */
  readonly destinations: Readonly<Record<string, MonitoringDestination>>;
  /** Whether to send logs of pods and cluster events to destinations that accept them; true by default. */
  readonly logs?: boolean;
}

/** Grafana Alloy, by version 4 of its chart (docs/facts/kubernetes.md#grafana-alloy). */
export const monitoring: Preset<MonitoringOptions> = {
  chart: {
    name: "k8s-monitoring",
    namespace: "monitoring",
    chart: "k8s-monitoring",
    repository: "https://grafana.github.io/helm-charts",
    version: "4.4.0",
  },
  make: (options, { name }) => {
    // The node exporter and the log reader access the host.
    const namespace = options.namespace ?? monitoring.chart.namespace;
    const credentials = Object.entries(options.destinations).flatMap(([key, one]) => credentialsOf(key, one, namespace));
    const before: AddonPart[] =
      credentials.length > 0
        ? [{ kind: "objects", name: "credentials", objects: [...namespaceObjects(namespace, true), ...credentials] }]
        : [];
    const values = valuesOf(options, name, namespace);
    return {
      parts: [...before, releaseOf({ chart: monitoring.chart, options, values, privileged: true })],
      machines: {},
    };
  },
};

function valuesOf(options: MonitoringOptions, cluster: string, namespace: string): Values {
  const entries = Object.entries(options.destinations);
  const taking = (other: MonitoringDestination["type"]) => entries.flatMap(([key, { type }]) => (type === other ? [] : [key]));
  const metrics = taking("loki");
  const logs = options.logs === false ? [] : taking("prometheus");
  return {
    cluster: { name: cluster },
    destinations: Object.fromEntries(entries.map(([key, one]) => [key, destination(key, one, namespace)])),
    ...(metrics.length > 0 && {
      clusterMetrics: feature("alloy-metrics", metrics),
      hostMetrics: { ...feature("alloy-metrics", metrics), linuxHosts: { enabled: true } },
      telemetryServices: { "kube-state-metrics": { deploy: true }, "node-exporter": { deploy: true } },
    }),
    ...(logs.length > 0 && {
      podLogsViaLoki: feature("alloy-logs", logs),
      clusterEvents: feature("alloy-singleton", logs),
    }),
    collectors: {
      ...(metrics.length > 0 && { "alloy-metrics": { presets: ["small", "clustered", "statefulset"] } }),
      ...(logs.length > 0 && {
        "alloy-logs": { presets: ["filesystem-log-reader", "daemonset"] },
        "alloy-singleton": { presets: ["singleton"] },
      }),
    },
  };
}

/** Explicit, because by default the chart sends nothing to an OTLP destination when there is another one. */
function feature(collector: string, destinations: readonly string[]): Values {
  return { enabled: true, collector, destinations };
}

function destination(key: string, { type, url, username, password }: MonitoringDestination, namespace: string): Values {
  if (password === undefined) return { type, url };
  const auth =
    username === undefined
      ? { type: "bearerToken", bearerTokenKey: "password" }
      : { type: "basic", usernameKey: "username", passwordKey: "password" };
  return { type, url, auth, secret: { create: false, name: secretName(key), namespace } };
}

/** Credentials in a Secret, to which the chart's values only refer. */
function credentialsOf(key: string, { username, password }: MonitoringDestination, namespace: string): Manifest[] {
  if (password === undefined) return [];
  const texts = { ...(username !== undefined && { username }), password: password.reveal() };
  return [secretObject({ name: secretName(key), namespace }, texts)];
}

const secretName = (key: string) => `monitoring-${key.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
