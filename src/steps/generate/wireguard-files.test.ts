import { expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import { VolatileFiles } from "../../../test/support/volatile-files.ts";
import type { Config, WireguardConfig } from "../../config/config.ts";
import { plainNode } from "../../config/testing/plain-node.ts";
import { changesOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { Environment } from "../../environment/environment.ts";
import { secretsBundle } from "./secrets-bundle.ts";
import { wireguardFiles } from "./wireguard-files.ts";

const FILE = "/e/wg-laptop.conf";
const LAPTOP = { name: "laptop", publicKey: "xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=", ip: "10.99.0.100" };
const NODES = [plainNode({ name: "cp-1", role: "controlplane", ip: "203.0.113.11" })];

function environment(
  nodes = NODES,
  wireguard: WireguardConfig = { cidr: "10.99.0.0/24", port: 51821, peers: [LAPTOP] },
): Environment {
  const config = { cluster: { name: "rented", contract: "v1.13" }, nodes, wireguard } as unknown as Config;
  return { folder: "/e", shown: "e", config, warnings: [], where: () => undefined };
}

test("a user's file is created once, follows the nodes, and keeps the private key in it", async () => {
  const files = new VolatileFiles();
  const session = testSession({ files });
  files.makeFolder("/e", 0o700);
  const items = (env: Environment) => [secretsBundle(env, session.redactor), ...wireguardFiles(env, session.redactor)];
  const text = () => Buffer.from(files.read(FILE) ?? []).toString("utf8");
  const changes = async (env: Environment) =>
    changesOf(await makePlan(items(env), session)).map(({ verb, subject }) => `${verb} ${subject}`);

  expect(await changes(environment())).toEqual(["create secrets.yaml", "create wg-laptop.conf"]);
  await runPlan(await makePlan(items(environment()), session), session);
  expect(files.stat(FILE)?.mode).toBe(0o600);
  expect(await changes(environment())).toEqual([]);

  files.write(FILE, Buffer.from(text().replace(/^# PrivateKey.*$/m, "PrivateKey = QUJD")), 0o600);
  expect(await changes(environment())).toEqual([]);

  const more = environment([...NODES, plainNode({ name: "worker-1", role: "worker", ip: "203.0.113.21" })]);
  expect(await changes(more)).toEqual(["update wg-laptop.conf"]);
  await runPlan(await makePlan(items(more), session), session);
  expect(text()).toContain("PrivateKey = QUJD\n");
  expect(text()).toContain("Endpoint = 203.0.113.21:51821\n");
  expect(JSON.stringify(session.events)).not.toContain("QUJD");
});

test("without WireGuard there is nothing to write", () => {
  const { wireguard: _, ...config } = environment().config;
  expect(wireguardFiles({ ...environment(), config: config as Config }, testSession().redactor)).toEqual([]);
});
