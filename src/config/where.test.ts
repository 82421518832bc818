import { expect, test } from "vitest";
import type { ConfigPath } from "./config.ts";
import { changed, load } from "./testing/config-in-memory.ts";

const config = changed({
  "nodes:": "defaults:\n  all: { cores: 4 }\n  worker: { memory: 3GiB }\nnodes:",
  "count: 2,": "count: 2, disk: 30GiB,",
});
const loaded = load(config);

/** The text the place begins with. */
function at(path: ConfigPath): string | undefined {
  const place = loaded.where(path);
  return place === undefined
    ? undefined
    : `${place.line}: ${config.split("\n")[place.line - 1]?.slice(place.column - 1, place.column + 9)}`;
}

test.each<[ConfigPath, string]>([
  [["cluster", "name"], "3: homelab"],
  [["nodes", "cp", "ip"], "20: 10.10.0.11"],
  [["nodes", "worker-2", "disk"], "21: 30GiB, ip:"],
  [["nodes", "worker-2", "memory"], "16: 3GiB }"],
  [["nodes", "worker-2", "cores"], "15: 4 }"],
  [["nodes", "worker-2", "cpu"], "21: { name: wo"],
  [["nodes", "worker-1"], "21: { name: wo"],
  [["nodes", 2, "disk"], "21: 30GiB, ip:"],
  [["cluster", "vip"], "4: 10.10.0.5"],
  [["cluster", "kubernetes"], "2: cluster:"],
  [["proxmox", "tls"], "11: { fingerpr"],
])("%j is at %s in the file", (path, expected) => {
  expect(at(path)).toBe(expected);
});

test.each([
  ["of all nodes", { "nodes:": "image:\n  extensions: [a/b, a/wrong]\nnodes:" }, "15: a/wrong]"],
  ["of the defaults", { "nodes:": "defaults:\n  worker: { extensions: [a/wrong] }\nnodes:" }, "15: a/wrong] }"],
  ["of the node", { "count: 2,": "count: 2, extensions: [a/b, a/wrong]," }, "18: a/wrong], "],
])("an extension %s is found by its name", (_, changes, expected) => {
  const written = changed(changes as Record<string, string>);
  const place = load(written).where(["nodes", "worker-2", "image", "extensions", "a/wrong"]);
  expect(
    `${place?.line}: ${written.split("\n")[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1, (place?.column ?? 0) + 9)}`,
  ).toBe(expected);
});

test("a node's name may be any host name", () => {
  const odd = load(changed({ "name: cp": "name: constructor" }));
  expect(odd.where(["nodes", "constructor", "ip"])?.line).toBe(17);
});

test("a node that is not in the file has no place", () => {
  expect(loaded.where(["nodes", "stranger"])).toBeUndefined();
});
