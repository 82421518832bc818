import { doneTo } from "@talosmith/lab/hetzner/testing/fake-hosts.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, expect, test } from "vitest";
import { newSshKey } from "../../../../../test/support/ssh-key.ts";
import { testSession } from "../../../../../test/support/toy.ts";
import { writeContext } from "../../../../engine/context.ts";
import { changesOf, errorsOf, makePlan } from "../../../../engine/plan.ts";
import { runPlan } from "../../../../engine/run.ts";
import { step, type WorkItem } from "../../../../engine/step.ts";
import { plainVpsNode } from "../../config/testing/plain-node.ts";
import { openProvider } from "../providers.ts";
import { hetznerProject } from "../testing/hetzner-project.ts";
import { vpsConfig, vpsEnvironment } from "../testing/vps-config.ts";

let lab: RunningLab;
let close: () => void = () => {};
afterEach(async () => {
  close();
  await lab.close();
});

const ENVIRONMENT = "life-12345678";
const secrets = step<string, string>({
  id: "generate/secrets",
  stage: "generate",
  title: "secrets",
  observe: async () => ({ is: "present", actual: ENVIRONMENT, owner: "us" }),
  plan: () => [],
  apply: async () => {},
  output: (actual) => actual,
});

async function scene(admin: string) {
  const project = await hetznerProject({}, {});
  lab = project.lab;
  const key = newSshKey();
  const node = (name: string, last: number) => {
    const ip = lab.address.host(last);
    const ssh = { host: ip, port: 22, user: "root", firstKey: true, key: new Secret(key.privateKey) };
    return plainVpsNode({ name, role: "controlplane", ip, ssh });
  };
  const nodes = [node("cp-1", 11), node("cp-2", 12)];
  const vps = { provider: { name: "hetzner" as const, ...project.access } };
  const env = vpsEnvironment(vpsConfig({ vps, nodes, firewall: { admin: [admin], open: [] } }));
  const session = {
    ...testSession({ timeScale: 1000 }),
    world: { ...realWorld(), clock: testSession({ timeScale: 1000 }).world.clock },
  };
  const provider = openProvider(session.world, env);
  if (!provider) throw new Error("no provider although there is a token");
  close = () => provider.close();
  const plan = (items: readonly WorkItem[]) => makePlan([secrets, ...items], session);
  return { provider, nodes, session, plan, key };
}

/** The greeting of a server's SSH port; undefined when it does not answer in time. */
async function knock(host: string, limitMs = 10_000): Promise<string | undefined> {
  const { net, clock } = realWorld();
  const socket = await net.dial({ host, port: 2222 });
  const heard = new AbortController();
  try {
    return await new Promise((resolve) => {
      socket.on("error", () => resolve(undefined)).once("data", (data) => resolve(String(data)));
      clock.sleep(limitMs, heard.signal).then(
        () => resolve(undefined),
        () => {},
      );
    });
  } finally {
    heard.abort();
    socket.destroy();
  }
}

test("on the lab: firewalls are made, filter, stay as they are, and go", async () => {
  const { provider, nodes, session, plan } = await scene("198.51.100.0/24");
  expect(await knock(nodes[0]?.ip ?? "")).toBe("SSH");
  await runPlan(await plan(provider.firewall.steps()), session);
  // We come from 127.0.0.1, which is no admin's address.
  expect(await knock(nodes[0]?.ip ?? "", 200)).toBeUndefined();
  const again = await plan(provider.firewall.steps());
  expect([changesOf(again), errorsOf(again)]).toEqual([[], []]);
  const removal = provider.firewall.removal(ENVIRONMENT, []);
  await runPlan(await plan(removal), session);
  expect(changesOf(await plan(removal))).toEqual([]);
  expect(await knock(nodes[0]?.ip ?? "")).toBe("SSH");
});

test("on the lab: who is inside the admin networks gets through", async () => {
  const { provider, nodes, session, plan } = await scene("127.0.0.0/8");
  await runPlan(await plan(provider.firewall.steps()), session);
  expect(await knock(nodes[0]?.ip ?? "")).toBe("SSH");
});

test("on the lab: a server is restarted into its rescue system, and the next start is from its disk", async () => {
  const { provider, nodes, session, key } = await scene("127.0.0.0/8");
  const c = writeContext(session, "machine/cp-2", new Map());
  const server = await provider.server(nodes[1] as (typeof nodes)[number], c);
  expect(server).toMatchObject({ name: "vps-2", state: "running", inRescue: false });
  await provider.enterRescue(server, c);
  const [type, blob] = key.publicKey.split(" ");
  expect(doneTo(lab)).toEqual([`rescue next vps-2: ${type} ${blob}`, "reset vps-2"]);
  await provider.leaveRescue(server, c);
  expect(doneTo(lab)).toHaveLength(2);
});
