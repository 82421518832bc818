import { expect, test } from "vitest";
import { changed, failure, GOOD, load, problems, tokenOf } from "./testing/config-in-memory.ts";

const BASE = GOOD;
const over = (rest: string) => `extends: ../base.yaml\n${rest}`;
const files = (base: string) => ({ files: { "../base.yaml": base } });

test("sections of a file are merged over those of the file it extends", () => {
  const { config } = load(over("cluster: { name: test }\n"), files(BASE));
  expect([config.cluster.name, config.cluster.talos]).toEqual(["test", "v1.13.9"]);
});

test("lists and nodes are replaced, not merged", () => {
  const { config } = load(over("nodes:\n  - { name: only, role: controlplane, ip: 10.10.0.9 }\n"), files(BASE));
  expect(config.nodes.map(({ name }) => name)).toEqual(["only"]);
});

test("a problem in the base is reported in the base", () => {
  const [problem] = failure(over("cluster: { name: test }\n"), files(changed({ "10.10.0.11": "10.11.0.11" }))).problems;
  expect([problem?.where?.file, problem?.where?.line, problem?.where?.column]).toEqual(["environments/base.yaml", 17, 9]);
  expect(problem?.hint).toContain("widen network.cidr (base.yaml line 7)");
});

test("a problem in the file itself is reported there", () => {
  const [problem] = failure(over("cluster: { name: Bad }\n"), files(BASE)).problems;
  expect([problem?.where?.file, problem?.where?.line]).toEqual(["environments/homelab/config.yaml", 2]);
});

test("a base may extend another, each path relative to its own file", () => {
  const { config } = load("extends: ../shared/middle.yaml\n", {
    files: { "../shared/middle.yaml": "extends: base.yaml\ncluster: { name: middle }\n", "../shared/base.yaml": BASE },
  });
  expect(config.cluster.name).toBe("middle");
});

test("a missing base is reported at extends", () => {
  const [problem] = failure("extends: ../gone.yaml\n").problems;
  expect([problem?.where?.column, problem?.message, problem?.hint]).toEqual([
    10,
    "extends names environments/gone.yaml, which does not exist",
    "correct the path: it is relative to this file",
  ]);
});

test("files that extend each other in a circle are refused", () => {
  const circle = failure("extends: ../base.yaml\n", files("extends: homelab/config.yaml\n"));
  expect(circle.problems.map(({ where, message }) => `${where?.file} ${message}`)).toEqual([
    "environments/base.yaml extends leads back to environments/homelab/config.yaml",
  ]);
});

test("a chain of extended files has a maximum length", () => {
  const chain = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`b${n}.yaml`, `extends: b${n + 1}.yaml\n`]));
  expect(problems("extends: b0.yaml\n", { files: chain })).toEqual(["1:10 more than 8 files extend each other"]);
});

test("a syntax error in the base is reported in the base", () => {
  const [problem] = failure(over(""), files("a: [\n")).problems;
  expect([problem?.where?.file, problem?.message]).toEqual(["environments/base.yaml", "this bracket is not closed"]);
});

test("paths in a base are relative to the environment's folder, so that one base serves many environments", () => {
  const base = changed({ "token: ${env:PROXMOX_TOKEN}": `token: \${file:token}` });
  const token = "a@pve!b=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e";
  expect(tokenOf(load(over(""), { files: { "../base.yaml": base, token } }).config)).toBe(token);
});

test("false removes an addon of the base, and options are merged with the base's", () => {
  const base = changed({ "nodes:": "addons: { certManager: true, longhorn: { replicas: 2, values: { a: 1 } } }\nnodes:" });
  const { config } = load(over("addons: { certManager: false, longhorn: { values: { b: 2 } } }\n"), files(base));
  const [longhorn, ...more] = config.addons.all;
  expect([longhorn?.name, more]).toEqual(["longhorn", []]);
  expect(longhorn?.parts[0]).toMatchObject({ values: { a: 1, b: 2 } });
});
