import { expect, test } from "vitest";
import { type MonitoringOptions, monitoring } from "./monitoring.ts";
import { FACTS, objectsIn, PASSWORD, releaseIn, textsOf } from "./testing/sample.ts";

const make = (destinations: MonitoringOptions["destinations"], logs?: boolean) =>
  monitoring.make({ destinations, ...(logs !== undefined && { logs }) }, FACTS);

const METRICS = { type: "prometheus", url: "https://metrics.example.org/push", username: "1", password: PASSWORD } as const;
const LOGS = { type: "loki", url: "https://logs.example.org/push" } as const;
const BOTH = { type: "otlp", url: "https://otlp.example.org", password: PASSWORD } as const;

// docs/facts/kubernetes.md#grafana-alloy; test/conformance/charts says how the chart was tried with these values.
test("credentials are in a Secret, and the chart's values refer to it", () => {
  const addon = make({ metrics: METRICS });
  expect(addon.parts.map(({ name }) => name)).toEqual(["credentials", "k8s-monitoring"]);
  const [namespace, secret] = objectsIn(addon, "credentials");
  expect(namespace?.metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": "privileged" });
  expect(textsOf(secret)).toEqual({ username: "1", password: PASSWORD.reveal() });
  expect(releaseIn(addon).values).toMatchObject({
    cluster: { name: "homelab" },
    destinations: {
      metrics: {
        type: "prometheus",
        url: METRICS.url,
        auth: { type: "basic", usernameKey: "username", passwordKey: "password" },
        secret: { create: false, name: secret?.metadata.name, namespace: "monitoring" },
      },
    },
  });
});

test("a password without a user is a bearer token", () => {
  expect(releaseIn(make({ all: BOTH })).values).toMatchObject({
    destinations: { all: { auth: { type: "bearerToken", bearerTokenKey: "password" } } },
  });
});

test("an open destination needs no Secret", () => {
  expect(make({ logs: LOGS }).parts.map(({ kind }) => kind)).toEqual(["release"]);
});

test("every destination gets what it can take", () => {
  const { values } = releaseIn(make({ metrics: METRICS, logs: LOGS, all: BOTH }));
  expect(values).toMatchObject({
    clusterMetrics: { enabled: true, destinations: ["metrics", "all"] },
    hostMetrics: { enabled: true, destinations: ["metrics", "all"] },
    podLogsViaLoki: { enabled: true, destinations: ["logs", "all"] },
    clusterEvents: { enabled: true, destinations: ["logs", "all"] },
  });
  expect(Object.keys(values.collectors ?? {})).toEqual(["alloy-metrics", "alloy-logs", "alloy-singleton"]);
});

test("only data that a destination accepts and the config enables is collected", () => {
  expect(Object.keys(releaseIn(make({ logs: LOGS })).values)).toEqual([
    "cluster",
    "destinations",
    "podLogsViaLoki",
    "clusterEvents",
    "collectors",
  ]);
  expect(releaseIn(make({ all: BOTH }, false)).values).not.toHaveProperty("podLogsViaLoki");
});
