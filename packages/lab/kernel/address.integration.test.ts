import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import { LEASE_PORT, type Lease, leaseAddresses } from "./address.ts";

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
