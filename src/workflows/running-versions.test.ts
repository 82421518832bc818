import { expect, test } from "vitest";
import { testSession } from "../../test/support/toy.ts";
import { readContext } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { upgradeFindings, upgradeWords } from "../environment/pending-upgrade.ts";
import { atRunningVersions } from "./running-versions.ts";
import { configsOf, environment, nodesOf, type Running } from "./testing/running-nodes.ts";

function seen(written: Environment, made: Environment, running: Running = {}): Promise<Environment> {
  const found = {
    environment: "homelab-1",
    owned: [],
    there: new Set(made.config.nodes.map(({ name }) => name)),
    foreign: [],
  };
  const c = readContext(testSession(), "inventory", new Map(), new Map());
  return atRunningVersions(written, nodesOf(made, running), found, () => configsOf(written), c);
}

const lines = ({ upgrade }: Environment) => (upgrade ? upgradeFindings(upgrade, "warn").map(({ message }) => message) : []);

test("nodes that run what the config says leave the environment as it is", async () => {
  const env = environment();
  expect(await seen(env, environment())).toBe(env);
});

test("another Talos and Kubernetes in the config: one line for all nodes, and everything is made for what runs", async () => {
  const env = await seen(environment({ "v1.13.9": "v1.14.1" }), environment());
  expect(lines(env)).toEqual([
    "the cluster runs Talos v1.13.9 and Kubernetes v1.36.3, the config says Talos v1.14.1 and Kubernetes v1.37.0; up does not upgrade: nodes keep their version, and new nodes join with it",
  ]);
  expect(env.config.cluster).toMatchObject({ talos: "v1.13.9", kubernetes: "v1.36.3", contract: "v1.13" });
  const worker = env.config.nodes.at(-1);
  if (!worker) throw new Error("no worker");
  const { text } = configsOf(env).of(worker);
  expect(text).toContain("kubelet:v1.36.3");
  expect(text).toContain(":v1.13.9");
  expect(env.upgrade && upgradeWords(env.upgrade)).toBe("Talos v1.13.9 (config: v1.14.1), Kubernetes v1.36.3 (config: v1.37.0)");
});

test("another Kubernetes alone is an upgrade too", async () => {
  const env = await seen(environment({ "v1.13.9": "v1.13.9\n  kubernetes: v1.36.2" }), environment());
  expect(env.upgrade).toMatchObject({
    kubernetes: { config: "v1.36.2", runs: [{ version: "v1.36.3", nodes: ["cp", "worker-1", "worker-2"] }] },
  });
  expect(env.upgrade?.talos).toBeUndefined();
  expect(env.config.cluster).toMatchObject({ talos: "v1.13.9", kubernetes: "v1.36.3" });
});

test("during an upgrade the oldest release counts, and the line names its nodes", async () => {
  const versions = { cp: "v1.14.1" };
  const env = await seen(environment({ "v1.13.9": "v1.14.1\n  kubernetes: v1.36.3" }), environment(), { versions });
  expect(lines(env)).toEqual([
    "the cluster runs Talos v1.13.9 (worker-1, worker-2), the config says Talos v1.14.1; up does not upgrade: nodes keep their version, and new nodes join with it",
  ]);
  expect(env.upgrade?.talos?.runs).toEqual([{ version: "v1.13.9", nodes: ["worker-1", "worker-2"] }]);
  expect(env.config.cluster).toMatchObject({ talos: "v1.13.9", contract: "v1.13" });
});

test("nodes upgraded by hand run what the config says, although their config still names the old installer", async () => {
  const written = environment({ "v1.13.9": "v1.14.1\n  kubernetes: v1.36.3\n  contract: v1.13" });
  const versions = { cp: "v1.14.1", "worker-1": "v1.14.1", "worker-2": "v1.14.1" };
  expect((await seen(written, environment(), { versions })).upgrade).toBeUndefined();
});

test("a config older than the cluster does not bring back the old config format", async () => {
  const env = await seen(environment(), environment({ "v1.13.9": "v1.14.1" }));
  expect(env.config.cluster).toMatchObject({ talos: "v1.14.1", kubernetes: "v1.37.0", contract: "v1.14" });
});

test("an image tag that a patch sets is not another release", async () => {
  const image = "{ machine: { kubelet: { image: 'registry.local/kubelet:v1.36.1' } } }";
  const patched = { "nodes:": `patches: { all: [${image}] }\nnodes:` };
  const env = environment(patched);
  expect(await seen(env, environment(patched))).toMatchObject({ config: { cluster: { kubernetes: "v1.36.3" } } });
  expect((await seen(env, environment(patched))).upgrade).toBeUndefined();
});

test("an addon that needs extensions which running nodes lack is withheld, and the line says so", async () => {
  const env = await seen(environment({ "nodes:": "addons: { longhorn: {} }\nnodes:" }), environment());
  expect(env.upgrade).toMatchObject({
    withheld: ["longhorn"],
    images: [{ node: "worker-1" }, { node: "worker-2" }],
  });
  expect(lines(env)).toEqual([
    "worker-1, worker-2 run without siderolabs/iscsi-tools, siderolabs/util-linux-tools; longhorn is not installed until then (another image is an upgrade, which up does not do)",
  ]);
  const [finding] = env.upgrade ? upgradeFindings(env.upgrade, "warn") : [];
  expect(finding?.hint).toMatch(
    /^talosctl upgrade -n 10\.10\.0\.21 --image factory\.talos\.dev\/metal-installer\/613e1592\w*:v1\.13\.9\n/,
  );
  expect(env.config.cluster.talos).toBe("v1.13.9");
});

test("with the extensions it needs an addon is installed", async () => {
  const longhorn = { "nodes:": "addons: { longhorn: {} }\nnodes:" };
  expect((await seen(environment(longhorn), environment(longhorn))).upgrade).toBeUndefined();
});

test("other kernel arguments are another image", async () => {
  const env = await seen(environment({ "nodes:": "image: { kernelArgs: [quiet] }\nnodes:" }), environment());
  expect(lines(env)).toEqual([
    "cp, worker-1, worker-2 run another image than the config describes (another image is an upgrade, which up does not do)",
  ]);
});

test("a silent node does not count", async () => {
  const env = environment({ "v1.13.9": "v1.14.1" });
  const silent = ["cp", "worker-1", "worker-2"];
  expect(await seen(env, environment(), { silent })).toBe(env);
});
