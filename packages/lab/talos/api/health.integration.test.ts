import { afterEach, expect, test } from "vitest";
import { kubernetesService } from "../../kubernetes/service.ts";
import { kubernetesState } from "../../kubernetes/state.ts";
import { refusalOf, TalosBench } from "../testing/bench.ts";
import type { TalosClient } from "../testing/client.ts";
import type { Main } from "../testing/configs.ts";

let bench: TalosBench;
afterEach(() => bench?.close());

/** A cluster of a single control plane, with Kubernetes. */
async function cluster(talos: string, change: (main: Main) => void = () => {}): Promise<TalosClient> {
  bench = await TalosBench.open({ more: [kubernetesService()] });
  const own = bench.cluster("test", `https://${bench.lab.address.host(11)}:6443`, talos);
  const address = await bench.machine(101, 11, { version: talos });
  await bench.apply(address, own.config("controlplane", "cp-1", [], change));
  const client = bench.client(address, own.client());
  await bench.eventually(() => client.machine.version({}));
  await bench.bootstrap(client);
  return client;
}

/** The lines of a health check, and its result. */
async function health(client: TalosClient, seconds: number): Promise<{ lines: string[]; end: { code: string; text: string } }> {
  const lines: string[] = [];
  const all = async () => {
    const request = { waitTimeout: { seconds: BigInt(seconds), nanos: 0 } };
    for await (const { message } of client.cluster.healthCheck(request, { timeoutMs: 20_000 })) lines.push(message);
  };
  return { end: await refusalOf(all()), lines };
}

// Names, order and texts are those of Talos's pkg/cluster/check and its server, v1.13.9.
test("a cluster is healthy when all of Talos's checks succeed, one after the other", async () => {
  const client = await cluster("v1.13.9");
  const { lines, end } = await health(client, 15);
  expect(end.code, lines.at(-1)).toBe("OK");
  expect(lines[0]).toBe(`discovered nodes: ["${bench.lab.address.host(11)}"]`);
  expect(lines.slice(1, 3)).toEqual(["waiting for etcd to be healthy: ...", "waiting for etcd to be healthy: OK"]);
  expect(lines.at(-1)).toBe("waiting for all k8s nodes to report schedulable: OK");
  expect(lines.filter((line) => line.endsWith(": OK"))).toHaveLength(16);
});

test("a failing check is reported with its reason, until the time is over", async () => {
  const client = await cluster("v1.13.9");
  await health(client, 15);
  for (const { objects } of Object.values(kubernetesState(bench.lab).clusters)) {
    for (const node of Object.values(objects.nodes ?? {})) node.spec = { ...node.spec, unschedulable: true };
  }
  const { lines, end } = await health(client, 1);
  expect(end).toEqual({ code: "DeadlineExceeded", text: "context deadline exceeded" });
  expect(lines.at(-1)).toBe("waiting for all k8s nodes to report schedulable: some nodes are not schedulable: [cp-1]");
});

test("without a CNI, 1.13 skips checks that need a network, and 1.12 waits for them", async () => {
  const none = (main: Main) => (main.cluster.network.cni = { name: "none" });
  const newer = await health(await cluster("v1.13.9", none), 15);
  expect(newer.end.code, newer.lines.at(-1)).toBe("OK");
  expect(newer.lines).toContain("waiting for all k8s nodes to report ready: SKIP");
  expect(newer.lines).toContain("waiting for coredns to report ready: SKIP");
  await bench.close();
  const older = await health(await cluster("v1.12.11", none), 3);
  expect(older.end.code).toBe("DeadlineExceeded");
  expect(older.lines.at(-1)).toBe("waiting for all k8s nodes to report ready: some nodes are not ready: [cp-1]");
});

test("a health check without a wait time fails at once", async () => {
  const client = await cluster("v1.13.9");
  expect((await health(client, 0)).end.code).toBe("DeadlineExceeded");
});
