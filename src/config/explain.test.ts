import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";
import { explain, similarKeys } from "./explain.ts";
import { KeyTable } from "./key-table.ts";

const table = new KeyTable(PLATFORM_CONFIGS);
const explained = (name: string) => explain(table, table.find(name) ?? ["not found"]);

test("a key has its meaning, type, default, example, platforms and a link", () => {
  expect(explained("nodes[].memory")).toMatchObject({
    key: "nodes[].memory",
    type: "text",
    required: false,
    default: "4GiB for control planes, 2GiB for workers",
    example: "nodes:\n  - memory: 8GiB",
    platforms: ["proxmox"],
    also: ["defaults.all.memory", "defaults.controlplane.memory", "defaults.worker.memory"],
    reference: "docs/reference/config.md#settings-of-a-node",
  });
  expect(explained("cluster.cni")).toMatchObject({ choices: ["cilium", "flannel", "none"], default: "flannel", also: [] });
  expect(explained("network.mtu")).toMatchObject({ type: "a whole number from 576 to 9216", minimum: 576, maximum: 9216 });
  expect(explained("proxmox")).toMatchObject({ platforms: ["proxmox"], type: "a section" });
  expect(explained("nodes.nics.vlan").platforms).toEqual(["proxmox"]);
  expect(explained("nodes.installDisk").platforms).toEqual(["metal", "vps"]);
  expect(explained("nodes.prefix").platforms).toEqual(["vps"]);
  expect(explained("image.overlay")).toMatchObject({ example: "", instead: "remove it: it comes in a later version" });
});

test("a key is found by its name with and without brackets, and inside of maps whose names have dots", () => {
  for (const name of ["nodes[].memory", "nodes.memory", "nodes.memory.", "nodes[3].memory"])
    expect(table.find(name)).toEqual(["nodes", 0, "memory"]);
  expect(table.find("registries.docker.io.mirrors")).toEqual(["registries", "docker.io", "mirrors"]);
  expect(table.find("nodes.labels.example.com/rack")).toEqual(["nodes", 0, "labels", "example.com/rack"]);
  for (const name of ["", ".nodes", "nodes.memroy", "cluster.name.more", "toString"]) expect(table.find(name)).toBeUndefined();
});

test("at most five keys are named for an unknown one, those in the section that was typed first", () => {
  expect(similarKeys(table, "memroy")).toEqual(["nodes[].memory"]);
  expect(similarKeys(table, "nodes.gatway").slice(0, 2)).toEqual(["nodes[].gateway", "network.gateway"]);
  expect(similarKeys(table, "name")).toHaveLength(5);
  expect(similarKeys(table, "nodes.disk_gb")).toContain("nodes[].disk");
  expect(similarKeys(table, "zzzzzzz")).toEqual([]);
});

const PLACEHOLDER = /…|\$\{/;

test("the example of every key is valid where it is shown", () => {
  const wrong = table.all().flatMap(({ name, path }) => {
    const { example } = explain(table, path);
    if (PLACEHOLDER.test(example)) return [];
    const value = path.reduce((at, step) => at?.[step], parse(example));
    const schema = table.grammar.schemaAt(path);
    return schema !== undefined && z.safeParse(schema, value).success ? [] : [`${name}\n${example}`];
  });
  expect(wrong).toEqual([]);
});

test("every link leads to a chapter of the reference with a row for the key, or for one that it is part of", () => {
  const chapters = readFileSync("docs/reference/config.md", "utf8").split(/^## /m).slice(1);
  const anchorOf = (title: string) =>
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-");
  const anchors = new Map(chapters.map((chapter) => [anchorOf(chapter.split("\n", 1).join()), chapter]));
  const wrong = table.all().filter(({ path, keys }) => {
    const chapter = anchors.get(explain(table, path).reference.split("#").at(-1) ?? "") ?? "";
    return !path.some((key) => chapter.includes(`| \`${key}\` |`)) && !keys.every((key) => chapter.includes(`| \`${key}\` |`));
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
  expect(explained("registries.docker.io.mirrors").reference).toBe("docs/reference/config.md#registries");
  expect(explained("nodes.volumes").reference).toBe("docs/reference/config.md#settings-of-a-node");
  expect(explained("nodes.volumes.size").reference).toBe("docs/reference/config.md#setting-volumes");
  expect(explained("defaults.worker.memory").reference).toBe("docs/reference/config.md#settings-of-a-node");
});
