import { expect, test } from "vitest";
import { readContext } from "../../engine/context.ts";
import { changesOf, errorsOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { Answering } from "../../talos/api/talos-nodes.ts";
import type { Owned } from "../platform.ts";
import { platformOf } from "./platform.ts";
import { type Bench, OTHER_KEY, providerOf, REFUSED, RESCUE, serverBench, UNREACHABLE } from "./testing/server-bench.ts";

const inventoryOf = ({ site, session }: Bench, environment: string | undefined) =>
  platformOf(site).inventory(environment, readContext(session, "inventory", new Map(), new Map()));

test.each<[Answering, string[], string[]]>([
  [{ is: "ours" }, ["vps-1"], ["vps-1"]],
  [{ is: "waiting", key: "k" }, [], ["vps-1"]],
  [{ is: "stranger", why: "another CA" }, [], ["vps-1"]],
  [{ is: "silent", why: "nobody" }, [], []],
])("who answers %o", async (answering, owned, there) => {
  const bench = serverBench();
  bench.talos = answering;
  const found = await inventoryOf(bench, "e");
  expect(found.owned.map(({ name }) => name)).toEqual(owned);
  expect([...found.there]).toEqual(there);
});

test("a running node of this cluster is not logged in to", async () => {
  const bench = serverBench();
  bench.talos = { is: "ours" };
  bench.ssh = OTHER_KEY;
  expect(changesOf(await bench.plan())).toEqual([]);
  expect(bench.log).toEqual([]);
});

const owned: Owned = {
  name: "vps-1",
  subject: "machine vps-1",
  where: "server at 203.0.113.11",
  role: "controlplane",
  address: "203.0.113.11",
  state: "running",
  bootstrapped: false,
  detail: {},
};

test("down wipes the whole system disk, and the server no longer counts as a node", async () => {
  const bench = serverBench({ node: { installDisk: { serial: "VPS-0001" } } });
  await bench.up();
  bench.log.length = 0;
  bench.afterwards = { is: "silent", why: "nobody answers" };
  const plan = await makePlan(platformOf(bench.site).removal(owned, undefined), bench.session);
  expect(changesOf(plan).map(({ verb, subject }) => [verb, subject])).toEqual([["delete", "machine vps-1"]]);
  expect((await runPlan(plan, bench.session)).map(({ outcome }) => outcome)).toEqual(["changed"]);
  expect(bench.log).toEqual(['reset {"graceful":false,"reboot":true,"whole":true}']);
  // Otherwise the next up would take it for a node that fell silent, or that cannot be reached.
  bench.site.provider = providerOf(bench);
  bench.ssh = UNREACHABLE;
  expect(changesOf(await bench.plan())).toMatchObject([{ verb: "replace" }]);
  expect(changesOf(await bench.plan())[0]?.typed).toBeUndefined();
  bench.ssh = RESCUE;
  expect(changesOf(await bench.plan())[0]?.needsConsent).toBeUndefined();
  expect(bench.session.world.files.list("/env/.talosmith/takeover/vps-1")).toHaveLength(1);
});

async function examined(bench: Bench) {
  const { session } = bench;
  const found = await inventoryOf(bench, undefined);
  const check = platformOf(bench.site)
    .checks(found)
    .find(({ id }) => id === "doctor/servers");
  return (await check?.run(readContext(session, "doctor", new Map(), new Map())))?.map(({ level, code }) => `${level} ${code}`);
}

test("doctor tells everything that is wrong about a server at once", async () => {
  const bench = serverBench({ admin: ["192.0.2.0/24"], node: { arch: "arm64" } });
  expect(await examined(bench)).toEqual(["fail WRONG_ARCHITECTURE", "fail OUTSIDE_ADMIN"]);
});

test("doctor is content with a server in its rescue system, and says which disk goes", async () => {
  expect(await examined(serverBench())).toEqual(["ok SERVER"]);
});

test.each([
  [UNREACHABLE, "fail NO_RESCUE"],
  [REFUSED, "fail NO_RESCUE"],
  [OTHER_KEY, "fail SSH_HOST_KEY"],
])("doctor meets %s", async (error, finding) => {
  const bench = serverBench();
  bench.ssh = error;
  expect(await examined(bench)).toEqual([finding]);
});

test("a provider that can restart it makes a closed server no problem", async () => {
  const bench = serverBench({ provider: true });
  bench.ssh = UNREACHABLE;
  expect(await examined(bench)).toEqual(["ok SERVER"]);
  expect(errorsOf(await bench.plan())).toEqual([]);
});
