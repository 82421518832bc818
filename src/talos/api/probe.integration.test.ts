import { createHash, X509Certificate } from "node:crypto";
import { userError } from "@talosmith/lib/errors.ts";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Authority } from "../secrets/bundle.ts";
import { talosNodes } from "./client.ts";
import type { TalosNodes } from "./talos-nodes.ts";
import { authority, bundleWith, FakeNetwork, maintenanceIdentity, nodeIdentity } from "./testing/fake-node.ts";

const ADDRESS = "10.10.0.11";
const { signal } = new AbortController();
let network: FakeNetwork;
let nodes: TalosNodes;
let ours: Authority;
let theirs: Authority;

const version = () => ({ messages: [{ version: { tag: "v1.13.9" }, platform: { name: "nocloud" } }] });

beforeAll(async () => {
  const { real } = new FakeNetwork();
  [ours, theirs] = await Promise.all([authority(real), authority(real)]);
});

beforeEach(() => {
  network = new FakeNetwork();
  nodes = talosNodes(network.world, () => bundleWith(ours));
});

afterEach(async () => {
  nodes.close();
  await network.close();
});

test("a node in maintenance mode waits, and is known by the hash that Talos prints on its console", async () => {
  const identity = await maintenanceIdentity(network.real, ADDRESS);
  await network.node(ADDRESS, identity, {});
  // talosctl --cert-fingerprint: base64 of SHA-256 over the SubjectPublicKeyInfo.
  const key = new X509Certificate(identity.certificate).publicKey.export({ type: "spki", format: "der" });
  const expected = createHash("sha256").update(key).digest("base64");
  expect(await nodes.probe(ADDRESS, signal)).toEqual({ is: "waiting", key: expected });
});

test("a node in maintenance mode receives no data and no certificate", async () => {
  let requests = 0;
  const count = () => {
    requests++;
    return version();
  };
  await network.node(ADDRESS, await maintenanceIdentity(network.real, ADDRESS), { machine: { version: count } });
  await nodes.probe(ADDRESS, signal);
  expect(requests).toBe(0);
  expect(network.dialled.map((dial) => dial.tls?.certificate)).toEqual([undefined]);
});

test("a node with a certificate of our CA that takes ours is ours", async () => {
  await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), { machine: { version } });
  expect(await nodes.probe(ADDRESS, signal)).toEqual({ is: "ours" });
});

test("a second probe of a configured node needs no new connection", async () => {
  await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), { machine: { version } });
  await nodes.probe(ADDRESS, signal);
  const before = network.dialled.length;
  expect(await nodes.probe(ADDRESS, signal)).toEqual({ is: "ours" });
  expect(network.dialled.length).toBe(before);
});

test("a node of another cluster is a stranger and never sees our certificate", async () => {
  await network.node(ADDRESS, await nodeIdentity(network.real, theirs, ADDRESS), { machine: { version } });
  expect(await nodes.probe(ADDRESS, signal)).toMatchObject({ is: "stranger" });
  expect(network.dialled.map((dial) => dial.tls?.certificate)).toEqual([undefined]);
});

test("without secrets a configured node is a stranger, and a waiting one still waits", async () => {
  const newcomer = talosNodes(network.world, () => {
    throw userError("NO_SECRETS", { message: "There is no secrets.yaml yet", hint: "talosmith up makes it" });
  });
  await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), { machine: { version } });
  await network.node("10.10.0.12", await maintenanceIdentity(network.real, "10.10.0.12"), {});
  const [configured, waiting] = await Promise.all([newcomer.probe(ADDRESS, signal), newcomer.probe("10.10.0.12", signal)]);
  newcomer.close();
  expect(configured).toMatchObject({ is: "stranger", why: expect.stringContaining("There is no secrets.yaml yet") });
  expect(waiting).toMatchObject({ is: "waiting" });
});

test("an address where nothing listens is silent, in words", async () => {
  expect(await nodes.probe(ADDRESS, signal)).toEqual({ is: "silent", why: "nothing listens there" });
});

test("a server that accepts and closes the connection is silent", async () => {
  await network.plain(ADDRESS, (socket) => socket.destroy());
  expect(await nodes.probe(ADDRESS, signal)).toMatchObject({ is: "silent" });
});

test("a node whose certificate has expired is silent, and the reason mentions the clocks", async () => {
  const notAfter = new Date(network.real.clock.now() - 3_600_000);
  await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS, { notAfter }), { machine: { version } });
  expect(await nodes.probe(ADDRESS, signal)).toEqual({
    is: "silent",
    why: "its certificate has expired: its clock or ours may be wrong",
  });
});

test("a node that was reset is found waiting, even if it was configured a moment ago", async () => {
  const listener = await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), { machine: { version } });
  await nodes.probe(ADDRESS, signal);
  await listener.close();
  await network.node(ADDRESS, await maintenanceIdentity(network.real, ADDRESS), {});
  expect(await nodes.probe(ADDRESS, signal)).toMatchObject({ is: "waiting" });
});

test("a probe that is called off rejects with the reason", async () => {
  await network.plain(ADDRESS, () => {});
  const off = new AbortController();
  const probing = nodes.probe(ADDRESS, off.signal);
  off.abort(new Error("enough"));
  await expect(probing).rejects.toThrow("enough");
});
