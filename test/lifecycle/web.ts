import { expect } from "vitest";
import type { KubernetesObject, Pod } from "../../src/kubernetes/objects.ts";
import type { Insider } from "../support/cluster.ts";

/* A user's pods, which must move when their node is removed. */

const { signal } = new AbortController();
export const labels = { app: "web" };

const web = (replicas: number): KubernetesObject & { spec: unknown } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } },
  },
});

export const webPods = async ({ kubernetes }: Insider): Promise<Pod[]> =>
  kubernetes.list<Pod>({ apiVersion: "v1", kind: "Pod", namespace: "default", labelSelector: "app=web" }, signal);
export const isReady = (pod: Pod) =>
  pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

export async function eventually(what: string, look: () => Promise<boolean>): Promise<void> {
  await expect.poll(look, { interval: 20, message: what }).toBe(true);
}

export async function withWeb(cluster: Insider, replicas = 2): Promise<void> {
  await cluster.kubernetes.create(web(replicas), signal);
  await eventually("the pods of web are ready", async () => {
    const pods = await webPods(cluster);
    return pods.length === replicas && pods.every(isReady);
  });
}
