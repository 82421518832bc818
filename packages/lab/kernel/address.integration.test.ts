import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { afterEach, expect, test } from "vitest";
import { datacenter, machineRoom, rentedServers } from "../host/services.ts";
import { LEASE_PORT, type Lease, leaseAddresses } from "./address.ts";
import { createLab } from "./lab.ts";
import { PORT_BLOCKS } from "./ports.ts";

const world = realWorld();
const held: Lease[] = [];
afterEach(async () => {
  await Promise.all(held.splice(0).map((lease) => lease.release()));
});

async function lease(salt: string, preferred?: string): Promise<Lease> {
  const one = await leaseAddresses(world, salt, preferred);
  held.push(one);
  return one;
}

test("a block has a prefix, a CIDR and host addresses", async () => {
  const { address } = await lease("block");
  expect(address.prefix).toMatch(/^127\.\d+\.\d+$/);
  expect([address.cidr, address.host(254)]).toEqual([`${address.prefix}.0/24`, `${address.prefix}.254`]);
});

test("two labs never get the same block, even with the same preference", async () => {
  const leases = await Promise.all(Array.from({ length: 20 }, () => lease("same")));
  expect(new Set(leases.map((one) => one.address.prefix)).size).toBe(20);
});

test("the next block is used when the preferred one is taken", async () => {
  const first = await lease("step", "127.93.7");
  const second = await lease("step", first.address.prefix);
  const [, a, b] = first.address.prefix.split(".").map(Number);
  expect(second.address.prefix > first.address.prefix || b === 254).toBe(true);
  expect(second.address.prefix.startsWith(`127.${a}.`) || b === 254).toBe(true);
});

test("a released block can be leased again", async () => {
  const first = await lease("again");
  await first.release();
  held.pop();
  const second = await lease("again", first.address.prefix);
  expect(second.address.prefix).toBe(first.address.prefix);
});

test("the lease port names the process that holds the block", async () => {
  const { address } = await lease("who");
  const said = await fetch(`http://${address.host(1)}:${LEASE_PORT}/`, { headers: { connection: "close" } });
  expect(await said.text()).toContain(`process ${process.pid}`);
});

test.each(["127.80", "127.63.1", "127.128.1", "127.80.0", "127.80.255", "10.0.0", "127.080.1", "127.80.1.0", "x"])(
  "%s is not a block for a lab",
  async (prefix) => {
    await expect(leaseAddresses(world, "bad", prefix)).rejects.toMatchObject({ kind: "user", code: "LAB_BLOCK" });
  },
);

/** A system like macOS, whose only loopback address is 127.0.0.1. */
const oneAddress: World = {
  ...world,
  net: {
    ...world.net,
    serve: async (at, answer) => world.net.serve(here(at), answer),
    listen: async (at, accept) => world.net.listen(here(at), accept),
    dial: async (to, signal) => world.net.dial(here(to), signal),
  },
};

function here<A extends { host: string }>(at: A): A {
  if (at.host === "127.0.0.1") return at;
  throw Object.assign(new Error(`${at.host} is no address of this system`), { code: "EADDRNOTAVAIL" });
}

test("without other loopback addresses, each block is a range of ports of 127.0.0.1", async () => {
  const leases = await Promise.all(Array.from({ length: 2 }, () => leaseAddresses(oneAddress, "ports", "127.80.1")));
  held.push(...leases);
  const [first, second] = leases.map(({ redirects = {}, address }) => redirects[`${address.cidr}:6443`]);
  expect(first).toMatch(/^127\.0\.0\.1:\d+-\d+$/);
  expect(second).not.toBe(first);
  expect(new Set(leases.map(({ address }) => address.prefix)).size).toBe(2);
});

test("without other loopback addresses, another block than the preferred one is used when there are no ports for it", async () => {
  held.push(await leaseAddresses(oneAddress, "ports", "127.99.1"));
  expect(held[0]?.address.prefix).toMatch(/^127\.80\.\d+$/);
  expect(PORT_BLOCKS).toBeGreaterThan(5);
});

test("a released block of ports can be leased again", async () => {
  const [first, second] = [await leaseAddresses(oneAddress, "a"), await leaseAddresses(oneAddress, "b")];
  await first.release();
  held.push(second, await leaseAddresses(oneAddress, "a", first.address.prefix));
  expect(held[1]?.address.prefix).toBe(first.address.prefix);
});

test.each([
  ["Proxmox", datacenter],
  ["rented servers", rentedServers],
  ["physical machines", machineRoom],
])("a lab of %s needs no other loopback address than 127.0.0.1", async (_, services) => {
  const lab = await createLab(oneAddress, { seed: "ports", timeScale: 1, services: services() });
  try {
    await lab.start();
    const { url = "" } = lab.published().factory ?? {};
    const socket = await lab.world.net.dial({ host: new URL(url).hostname, port: Number(new URL(url).port) });
    expect(socket.remoteAddress).toBe("127.0.0.1");
    socket.destroy();
  } finally {
    await lab.close();
  }
});

test("private nodes are refused without other loopback addresses", async () => {
  const made = createLab(oneAddress, { seed: "ports", timeScale: 1, services: [], privateNodes: true });
  await expect(made).rejects.toMatchObject({ code: "LAB_PRIVATE" });
  // The block is free again.
  held.push(await leaseAddresses(oneAddress, "ports"));
});
