import { refusals } from "@talosmith/lab/hetzner/refusals.ts";
import { afterEach, expect, test } from "vitest";
import { testSession } from "../../../../../test/support/toy.ts";
import { changesOf, errorsOf, makePlan, type Plan } from "../../../../engine/plan.ts";
import { runPlan } from "../../../../engine/run.ts";
import { type AnyStep, step, type WorkItem } from "../../../../engine/step.ts";
import type { ConfigOnVps } from "../../config/config-on-vps.ts";
import { hetznerProject } from "../testing/hetzner-project.ts";
import { ADMIN, NODES, vpsConfig, vpsEnvironment } from "../testing/vps-config.ts";
import { hetznerProvider } from "./hetzner.ts";

const ENVIRONMENT = "life-12345678";
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const secrets = (isThere: boolean) => {
  let there = isThere;
  return step<string, string>({
    id: "generate/secrets",
    stage: "generate",
    title: "secrets",
    observe: async () => (there ? { is: "present", actual: ENVIRONMENT, owner: "us" } : { is: "absent" }),
    plan: (seen) =>
      "is" in seen && seen.is === "present"
        ? []
        : [{ id: "generate/secrets", step: "generate/secrets", verb: "create", subject: "secrets", fields: [] }],
    apply: async () => {
      there = true;
    },
    output: (actual) => actual,
  });
};

const SERVERS = NODES.map(({ name, ip }) => ({ name: `srv-${name}`, address: ip }));

async function scene(config: Partial<ConfigOnVps> = {}) {
  const session = testSession({ timeScale: 1000 });
  const project = await hetznerProject(...SERVERS, { name: "other", address: "203.0.113.99" });
  open.push(project);
  const first = secrets(true);
  const stepsFor = (own: Partial<ConfigOnVps> = config) => {
    const provider = hetznerProvider(session.world, vpsEnvironment(vpsConfig(own)), project.access);
    open.push(provider);
    return provider.firewall;
  };
  const plan = (items: readonly WorkItem[] = stepsFor().steps(), before: AnyStep = first) =>
    makePlan([before, ...items], session);
  const up = async (own: Partial<ConfigOnVps> = config) => runPlan(await plan(stepsFor(own).steps()), session);
  /** The ids of servers, by name. */
  const { content } = await project.call("GET", "/servers");
  const ids = new Map<string, number>(content.servers.map(({ id, name }: { id: number; name: string }) => [name, id]));
  const on = (...names: string[]) => names.map((name) => ({ type: "server", server: { id: ids.get(name) } }));
  return { session, project, plan, up, stepsFor, on };
}

const said = (plan: Plan) => changesOf(plan).map(({ verb, subject }) => `${verb} ${subject}`);
const fieldsOf = (plan: Plan) => changesOf(plan).flatMap(({ fields }) => fields);

test("each role gets a firewall with our labels, on exactly its servers, and then nothing is left to do", async () => {
  const { project, plan, up } = await scene();
  expect(said(await plan())).toEqual([
    "create firewall of the control planes at Hetzner Cloud",
    "create firewall of the workers at Hetzner Cloud",
  ]);
  await up();
  expect(project.firewalls()).toMatchObject([
    {
      name: "talosmith-life-12345678-controlplane",
      labels: { talosmith: ENVIRONMENT, "talosmith-role": "controlplane" },
      on: ["srv-cp-1", "srv-cp-2"],
    },
    { name: "talosmith-life-12345678-worker", on: ["srv-worker-1"] },
  ]);
  expect(project.firewalls()[1]?.rules).toContainEqual({
    direction: "in",
    protocol: "tcp",
    port: "22",
    source_ips: [ADMIN],
    destination_ips: [],
    description: "rescue-ssh",
  });
  const again = await plan();
  expect([changesOf(again), errorsOf(again)]).toEqual([[], []]);
});

test("before there are secrets the plan says the same as after", async () => {
  const { plan, stepsFor } = await scene();
  const before = await plan(stepsFor().steps(), secrets(false));
  expect(said(before).slice(1)).toEqual(said(await plan()));
  expect(fieldsOf(before)).toEqual(fieldsOf(await plan()));
});

test("another admin network changes those rules that name it, field by field", async () => {
  const { plan, up, stepsFor } = await scene();
  await up();
  const other = { firewall: { admin: ["192.0.2.0/24"], open: [] } };
  const changes = await plan(stepsFor(other).steps());
  expect(said(changes)[0]).toBe("update firewall of the control planes at Hetzner Cloud");
  const paths = changesOf(changes)[0]?.fields.map(({ path }) => path);
  expect(paths?.sort()).toEqual(["tcp 22", "tcp 50000", "tcp 6443"]);
  await up(other);
  expect(changesOf(await plan(stepsFor(other).steps()))).toEqual([]);
});

test("manual changes to talosmith's firewall are corrected, and only those", async () => {
  const { project, plan, up, on } = await scene();
  await up();
  const [firewall] = project.firewalls();
  const act = (action: string, body: unknown) => project.call("POST", `/firewalls/${firewall?.id}/actions/${action}`, body);
  const any = { direction: "in", protocol: "tcp", port: "any", source_ips: ["0.0.0.0/0"] };
  await act("set_rules", { rules: [...(firewall?.rules ?? []), any] });
  await act("remove_from_resources", { remove_from: on("srv-cp-1") });
  const selector = { type: "label_selector", label_selector: { selector: "a=b" } };
  await act("apply_to_resources", { apply_to: [...on("other"), selector] });
  await project.lab.sleep(10_000);
  const drift = await plan();
  expect(fieldsOf(drift)).toEqual([
    { path: "tcp 1-65535", from: "0.0.0.0/0", to: null },
    { path: "servers", from: `cp-2, server ${on("other")[0]?.server.id}, servers labelled a=b`, to: "cp-1, cp-2" },
  ]);
  const before = project.orders().length;
  await up();
  const verbs = project.orders().slice(before);
  expect(verbs.map((site) => site.split("/").at(-1))).toEqual(["set_rules", "apply_to_resources", "remove_from_resources"]);
  expect(changesOf(await plan())).toEqual([]);
});

test("the order and the spelling of sources, and a rule cut in two, are no difference", async () => {
  const { project, plan, up } = await scene();
  await up();
  for (const { id, rules } of project.firewalls()) {
    const spelt = rules
      .flatMap((rule) => rule.source_ips.map((one) => ({ ...rule, source_ips: [one.replace("::/0", "0:0::0/0")] })))
      .reverse();
    expect(await project.call("POST", `/firewalls/${id}/actions/set_rules`, { rules: spelt })).toMatchObject({ status: 201 });
  }
  expect(changesOf(await plan())).toEqual([]);
});

test("a firewall with talosmith's name but not its labels is foreign: nothing is done", async () => {
  const { project, plan } = await scene();
  const { content } = await project.call("POST", "/firewalls", { name: "talosmith-life-12345678-worker" });
  const message = expect.stringContaining(`(id ${content.firewall.id})`);
  expect(errorsOf(await plan())).toMatchObject([{ code: "FOREIGN_FIREWALL", message }]);
});

test("another firewall on a node's server stays, and is reported", async () => {
  const { project, plan, up, on } = await scene();
  await project.call("POST", "/firewalls", { name: "web", apply_to: on("srv-worker-1") });
  await up();
  const again = await plan();
  expect(changesOf(again)).toEqual([]);
  expect(again.planned.flatMap(({ findings }) => findings)).toMatchObject([
    { level: "warn", code: "OTHER_FIREWALL", message: expect.stringContaining("worker-1 has the firewall web too") },
  ]);
  expect(project.firewalls().find(({ name }) => name === "web")?.on).toEqual(["srv-worker-1"]);
});

test("a node that is no server of the project stops the plan, at its line", async () => {
  const nodes = NODES.map((node) => (node.name === "cp-2" ? { ...node, server: "missing" } : node));
  const { plan } = await scene({ nodes });
  expect(errorsOf(await plan())).toMatchObject([{ code: "NO_SUCH_SERVER", where: { file: "nodes.cp-2.server" } }]);
});

test("more rules than there is room for stop the plan", async () => {
  const ports = Array.from({ length: 50 }, (_, at) => String(8000 + at));
  const open = [{ name: "many", ports, protocol: "tcp" as const, from: ["0.0.0.0/0"] }];
  const { plan } = await scene({ firewall: { admin: [ADMIN], open } });
  expect(errorsOf(await plan())).toMatchObject([
    { code: "TOO_MANY_RULES", where: { file: "firewall" } },
    { code: "TOO_MANY_RULES", where: { file: "firewall" } },
  ]);
});

test("without a firewall in the config none is created, and an earlier one is removed", async () => {
  const { project, plan, up, stepsFor } = await scene();
  const { firewall: _, ...bare } = vpsConfig();
  const off = { ...bare, firewall: undefined } as unknown as ConfigOnVps;
  const nothing = await plan(stepsFor(off).steps());
  expect(changesOf(nothing)).toEqual([]);
  expect(nothing.planned.flatMap(({ findings }) => findings)).toMatchObject([{ code: "NO_PROVIDER_FIREWALL" }]);
  await up();
  await up(off);
  expect(project.firewalls()).toEqual([]);
});

test("the workers' firewall is removed with the last worker", async () => {
  const { project, plan, up, stepsFor } = await scene();
  await up();
  const fewer = { nodes: NODES.filter(({ role }) => role === "controlplane") };
  expect(said(await plan(stepsFor(fewer).steps()))).toContain("delete firewall of the workers at Hetzner Cloud");
  await up(fewer);
  expect(project.firewalls().map(({ name }) => name)).toEqual(["talosmith-life-12345678-controlplane"]);
});

test("down detaches and removes talosmith's firewalls, and no others", async () => {
  const { session, project, up, stepsFor, on } = await scene();
  await project.call("POST", "/firewalls", { name: "web", labels: { talosmith: "other-1" }, apply_to: on("srv-worker-1") });
  await up();
  const items = stepsFor().removal(ENVIRONMENT, []);
  const removal = await makePlan(items, session);
  expect(said(removal)).toEqual([
    "delete firewall talosmith-life-12345678-controlplane at Hetzner Cloud",
    "delete firewall talosmith-life-12345678-worker at Hetzner Cloud",
  ]);
  await runPlan(removal, session);
  expect(project.firewalls().map(({ name }) => name)).toEqual(["web"]);
  expect(changesOf(await makePlan(items, session))).toEqual([]);
});

test("a firewall that is reported in use for a while is removed in the end", async () => {
  const { session, project, up, stepsFor } = await scene();
  await up();
  project.lab.setFaults([{ site: "DELETE *", times: 2, fault: { kind: "refuse", ...refusals.resource_in_use } }]);
  await runPlan(await makePlan(stepsFor().removal(ENVIRONMENT, []), session), session);
  expect(project.lab.faultCounts()).toMatchObject([{ fired: 2 }]);
  expect(project.firewalls()).toEqual([]);
});

test("an answer that is lost after the firewall was made does not make a second one", async () => {
  const { project, up, plan } = await scene();
  project.lab.setFaults([{ site: "POST /v1/firewalls", occurrence: 1, fault: { kind: "cut-after" } }]);
  await up();
  expect(project.lab.faultCounts()).toMatchObject([{ fired: 1 }]);
  expect(project.firewalls()).toHaveLength(2);
  expect(changesOf(await plan())).toEqual([]);
});
