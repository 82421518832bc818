import { afterEach, expect, test } from "vitest";
import { TalosBench } from "./testing/bench.ts";
import { type TalosClient, talosClient } from "./testing/client.ts";

let bench: TalosBench;
let reached: TalosClient | undefined;
afterEach(async () => {
  reached?.close();
  await bench.close();
});

test("an IPv6 address of a config is reachable at the loopback address with its last byte, and is among the node's addresses", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const link = { apiVersion: "v1alpha1", kind: "LinkConfig", name: "eth0", addresses: [{ address: "fd00:10::63/64" }] };
  const { address, client } = await bench.controlPlane(cluster, 101, 11, [link]);
  reached = talosClient(bench.lab.address.host(0x63), cluster.client(), "fd00:10::63");
  const { messages } = await bench.eventually(() => (reached as TalosClient).machine.version({}));
  expect(messages).toHaveLength(1);
  const { addresses } = await bench.resource(client, "network", "NodeAddresses.net.talos.dev", "current");
  expect(addresses).toEqual(["fd00:10::63/64", `${address}/24`]);
});
