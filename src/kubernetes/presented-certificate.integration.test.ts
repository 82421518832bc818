import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import { type ApiServer, apiServer, identity } from "./client/testing/api-server.ts";
import { presentedUntil } from "./presented-certificate.ts";

const world = realWorld();
const { signal } = new AbortController();
let server: ApiServer;
afterEach(() => server.close());

const place = () => ({ host: "127.0.0.1", port: Number(new URL(server.url).port) });

test("an API server shows until when its certificate is good", async () => {
  const cluster = await identity(world);
  server = await apiServer(world, cluster, () => ({}));
  const left = (await presentedUntil(world, place(), cluster.ca, signal)) - Date.now();
  // The test server's certificates are valid for an hour.
  expect(left).toBeGreaterThan(3_500_000);
  expect(left).toBeLessThanOrEqual(3_600_000);
});

test("one of another cluster's CA is not believed", async () => {
  const [cluster, stranger] = [await identity(world), await identity(world)];
  server = await apiServer(world, stranger, () => ({}));
  await expect(presentedUntil(world, place(), cluster.ca, signal)).rejects.toThrow();
});
