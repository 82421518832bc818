import { Secret } from "@talosmith/lib/secret.ts";
import { afterEach, expect, test } from "vitest";
import { testSession } from "../../../../test/support/toy.ts";
import { readContext } from "../../../engine/context.ts";
import type { Inventory } from "../../platform.ts";
import type { HetznerAccess } from "./hetzner/client.ts";
import { adviceCheck, openProvider } from "./providers.ts";
import { hetznerProject } from "./testing/hetzner-project.ts";
import { NODES, vpsConfig, vpsEnvironment } from "./testing/vps-config.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const nothing: Inventory = { environment: "e", owned: [], there: new Set(), foreign: [] };

async function advice(servers: typeof SERVERS, own: Partial<HetznerAccess> = {}) {
  const session = testSession({ timeScale: 1000 });
  const project = await hetznerProject(...servers);
  open.push(project);
  const env = vpsEnvironment(vpsConfig({ vps: { provider: { name: "hetzner", ...project.access, ...own } } }));
  const c = readContext(session, "doctor/provider", new Map(), new Map());
  return { findings: await adviceCheck(env, nothing).run(c), calls: project.lab.recorder.calls() };
}

const SERVERS = NODES.map(({ ip }, at) => ({ name: `srv-${at}`, address: ip }));

test("doctor says which server each node is, with one call", async () => {
  const { findings, calls } = await advice(SERVERS);
  expect(findings.map(({ level, message }) => [level, message.replace(/id \d+/, "id N")])).toEqual([
    ["ok", "cp-1 is server srv-0 (id N, running) at Hetzner Cloud"],
    ["ok", "cp-2 is server srv-1 (id N, running) at Hetzner Cloud"],
    ["ok", "worker-1 is server srv-2 (id N, running) at Hetzner Cloud"],
  ]);
  expect(calls).toHaveLength(1);
});

test("a node that matches no server is a failure that lists the servers", async () => {
  const { findings } = await advice(SERVERS.slice(0, 2));
  expect(findings.filter(({ level }) => level === "fail")).toMatchObject([
    {
      code: "NO_SUCH_SERVER",
      message: expect.stringMatching(/srv-0 \(id \d+/),
      hint: expect.stringContaining("nodes[].server of worker-1"),
    },
  ]);
});

test("a wrong token is reported once", async () => {
  const { findings } = await advice(SERVERS, { token: new Secret("wrong") });
  expect(findings).toMatchObject([{ level: "fail", code: "HETZNER_LOGIN", hint: expect.stringContaining("vps.provider.token") }]);
});

test.each([
  ["no provider", {}],
  ["Hetzner Cloud without a token", { provider: { name: "hetzner" as const, url: "https://x/v1" } }],
  ["one whose API we do not speak", { provider: { name: "ovh" as const, url: "" } }],
])("with %s the user gets manual instructions", async (_, vps) => {
  const session = testSession();
  const env = vpsEnvironment(vpsConfig({ vps }));
  expect(openProvider(session.world, env)).toBeUndefined();
  const findings = await adviceCheck(env, nothing).run(readContext(session, "doctor/provider", new Map(), new Map()));
  expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(["RESCUE_STEPS", "PROVIDER_RULES"]));
});
