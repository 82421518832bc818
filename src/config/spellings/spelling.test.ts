import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { expect, test } from "vitest";
import { changed, GOOD, load, loadFolder, TOKEN } from "../testing/config-in-memory.ts";

const [CLUSTER = "", NODES = ""] = GOOD.split(/^(?=nodes:)/m);
const env = { PROXMOX_TOKEN: TOKEN };

function failure(files: Record<string, string>): TalosmithError {
  try {
    loadFolder({ files, env });
  } catch (error) {
    return asTalosmithError(error);
  }
  throw new Error("the config was expected to be refused");
}

const told = (files: Record<string, string>) =>
  failure(files).problems.map(
    ({ where, message }) => `${where?.file.split("/").at(-1)}:${where?.line}:${where?.column} ${message}`,
  );

test("cluster.yaml with nodes.yaml is equivalent to one config.yaml", () => {
  const pair = loadFolder({ files: { "cluster.yaml": CLUSTER, "nodes.yaml": NODES }, env });
  expect(JSON.stringify(pair.config)).toBe(JSON.stringify(load(GOOD).config));
});

test("problems name the file they are in", () => {
  const files = {
    "cluster.yaml": changed({ "name: homelab": "nmae: homelab" }, CLUSTER),
    "nodes.yaml": changed({ "10.10.0.11": "10.11.0.11" }, NODES),
  };
  expect(told(files)).toEqual([
    "cluster.yaml:3:3 cluster.nmae is not a known key",
    "nodes.yaml:4:9 nodes[0].ip is outside network.cidr",
  ]);
  expect(failure({ ...files, "cluster.yaml": CLUSTER }).message).toBe("environments/homelab/nodes.yaml has 1 problem");
});

test("a place in the other file is named with it", () => {
  const nodes = changed({ "10.10.0.11": "10.11.0.11" }, NODES);
  expect(failure({ "cluster.yaml": CLUSTER, "nodes.yaml": nodes }).problems[0]?.hint).toContain("widen network.cidr (line 7)");
});

test("each key belongs in one of the two files", () => {
  expect(told({ "cluster.yaml": GOOD, "nodes.yaml": NODES })).toEqual(["cluster.yaml:14:1 nodes belongs in nodes.yaml"]);
  expect(told({ "cluster.yaml": CLUSTER, "nodes.yaml": `image: {}\n${NODES}` })).toEqual([
    "nodes.yaml:1:1 image belongs in cluster.yaml",
  ]);
  expect(told({ "cluster.yaml": CLUSTER, "nodes.yaml": "{}\n" })).toEqual(["nodes.yaml:1:1 nodes is missing"]);
});

test("nodes.yaml overrides the nodes of a base that cluster.yaml extends", () => {
  const files = {
    "cluster.yaml": "extends: ../base.yaml\n",
    "../base.yaml": GOOD,
    "nodes.yaml": "nodes: [{ name: only, role: controlplane, ip: 10.10.0.9 }]\n",
  };
  expect(loadFolder({ files, env }).config.nodes.map(({ name }) => name)).toEqual(["only"]);
});

test.each([
  ["cluster.yaml", CLUSTER, "nodes.yaml"],
  ["nodes.yaml", NODES, "cluster.yaml"],
])("%s alone lacks its other half", (name, text, other) => {
  const [problem] = failure({ [name]: text }).problems;
  expect(problem?.message).toBe(`environments/homelab/${other} does not exist`);
  expect(problem?.hint).toContain(`create it beside ${name}`);
});

test.each([
  [{ "config.yaml": GOOD, "config.yml": GOOD }, "config.yaml, config.yml"],
  [{ "config.yaml": GOOD, "cluster.yaml": CLUSTER, "nodes.yaml": NODES }, "config.yaml, cluster.yaml and nodes.yaml"],
  [{ "config.yml": GOOD, "nodes.yaml": NODES }, "config.yml, nodes.yaml"],
])("two configs in one folder are refused by name", (files, names) => {
  const error = failure(files as Record<string, string>);
  expect([error.code, error.message]).toEqual([
    "CONFIG_SPELLINGS",
    `environments/homelab contains more than one config: ${names}`,
  ]);
  expect(error.hint).toContain(".old");
});

test("sections also work in config.yml", () => {
  expect(loadFolder({ files: { "config.yml": GOOD }, env }).config.cluster.name).toBe("homelab");
});
