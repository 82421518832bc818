import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { sshService } from "@talosmith/lab/ssh/service.ts";
import { HttpClient } from "@talosmith/lib/http/client.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import type { Listener, World } from "@talosmith/lib/world/world.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Config, SshConfig } from "../config/config.ts";
import { nodeWorld, type Reach } from "./reach.ts";

const world: World = { ...realWorld(), env: () => undefined };
let lab: RunningLab;
let node: Listener;
let reach: Reach | undefined;

beforeEach(async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), { seed: "reach", timeScale: "instant", services: [sshService()] });
  await lab.start();
  const host = lab.address.host(11);
  const admits = (from: string) => from.startsWith(`${lab.address.prefix}.`);
  node = await world.net.serve({ host, port: 7001, admits }, (request, response) => response.end(`you asked for ${request.url}`));
});
afterEach(async () => {
  reach?.close();
  await node.close();
  await lab.close();
});

function through(changes: Partial<SshConfig> = {}): World {
  const { host = "", port, key = "", fingerprint: hostKey = "" } = lab.published().ssh ?? {};
  const ssh = { host, port: Number(port), user: "root", key: new Secret(key), hostKey, ...changes };
  reach = nodeWorld(world, { network: { via: "ssh", ssh } } as Config);
  return reach.world;
}

async function ask(inWorld: World, host: string, port = 7001): Promise<string> {
  const client = new HttpClient(
    inWorld,
    `http://${host}:${port}`,
    { trust: { by: "system" }, maxConnections: 2, idleMs: 500 },
    { calls: 0, bytes: 0 },
  );
  try {
    return (await client.request({ method: "GET", path: "/it" })).body;
  } finally {
    client.close();
  }
}

test("via direct, the world is unchanged", () => {
  expect(nodeWorld(world, { network: { via: "direct" } } as Config).world).toBe(world);
});

test("a node that only its host can reach is reached through it, and HTTP works over it", async () => {
  await expect(ask(world, lab.address.host(11))).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  expect(await ask(through(), lab.address.host(11))).toBe("you asked for /it");
  expect(await ask(through(), "10.10.0.11")).toBe("you asked for /it");
});

test("nothing is dialled before the first call", () => {
  expect(through({ host: "192.0.2.1", port: 1 })).toBeDefined();
});

test("a closed port gives the same error as a direct dial", async () => {
  await expect(ask(through(), lab.address.host(11), 7002)).rejects.toMatchObject({ code: "UNREACHABLE", transient: true });
  await expect(through().net.dial({ host: lab.address.host(12), port: 50_000 })).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("an untrusted host is not a transient error", async () => {
  await expect(ask(through({ hostKey: `SHA256:${"A".repeat(43)}` }), lab.address.host(11))).rejects.toMatchObject({
    code: "SSH_HOST_KEY",
    transient: false,
  });
});

test("after a failed connection the next dial tries the host again", async () => {
  const inWorld = through({ port: 2200 });
  await expect(ask(inWorld, lab.address.host(11))).rejects.toMatchObject({ code: "SSH_UNREACHABLE", transient: true });
  const door = await world.net.listen({ host: lab.address.host(1), port: 2200 }, async (socket) => {
    const behind = await world.net.dial({ host: lab.address.host(1), port: 2222 });
    socket
      .on("error", () => {})
      .pipe(behind.on("error", () => {}))
      .pipe(socket);
  });
  expect(await ask(inWorld, lab.address.host(11))).toBe("you asked for /it");
  await door.close();
});
