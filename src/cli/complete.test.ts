import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import type { FileStat, Files } from "@talosmith/lib/world/world.ts";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { type Completion, complete } from "./complete.ts";
import { isKnownKind, valuesFrom } from "./complete-values.ts";
import { program } from "./program.ts";

const HOMELAB = `platform: proxmox
nodes:
  - { name: cp, role: controlplane, count: 1 }
  - { name: worker, role: worker, count: 2 }
  - name: gpu-1
`;

const TREE: Record<string, string> = {
  "environments/homelab/config.yaml": HOMELAB,
  "environments/homelab/outputs.json": '{ "talos_node_ips": { "cp-1": "10.10.0.11", "worker-3": "10.10.0.23" } }',
  "environments/homelab/.talosmith/runs/2026-11-15T20-14-03/report.md": "",
  "environments/homelab/.talosmith/runs/2026-11-16T08-00-00/report.md": "",
  "environments/home-2/config.yaml": "extends: ../homelab/config.yaml\n",
  "environments/flat/config.yml": "controlplane_nodes: [{ name: cp-1 }]\nworker_nodes: [{ name: w-1 }]\n",
  "environments/two/cluster.yaml": "platform: metal\n",
  "environments/two/nodes.yaml": "nodes: [{ name: one }]\n",
  "environments/broken/config.yaml": "nodes: [ {",
  "environments/notes/readme.md": "",
  "environments/piped/config.yaml": "extends: ../../pipe\n",
  "environments/locked/config.yaml": "",
  "environments/loop": "",
  pipe: "nodes: [{ name: cp-1 }]",
  "node_modules/odd/config.yaml": "",
  ".hidden/config.yaml": "",
};

/** Files by their paths. Everything else that a Files can do is not for completion. */
const files = {
  read: (path: string) => (TREE[normalize(path)] === undefined ? undefined : Buffer.from(TREE[normalize(path)] ?? "")),
  stat: (path: string) => {
    if (/locked\/|\/loop/.test(path)) throw new Error("EACCES or ELOOP");
    return kindOf(path) ? ({ kind: kindOf(path) } as FileStat) : undefined;
  },
  list: (path: string) => {
    if (/locked\//.test(path)) throw new Error("EACCES");
    const inside = Object.keys(TREE).filter((file) => join(".", file).startsWith(prefixOf(path)));
    return [...new Set(inside.map((file) => file.slice(prefixOf(path).length).split("/", 1).join()))].sort();
  },
} as Partial<Files> as Files;

const prefixOf = (path: string) => (/^\.?\/?$/.test(normalize(path)) ? "" : `${normalize(path).replace(/\/$/, "")}/`);
const kindOf = (path: string) => {
  if (Object.hasOwn(TREE, normalize(path))) return normalize(path) === "pipe" ? "other" : "file";
  return files.list(path)?.length ? "folder" : undefined;
};

function completion(...words: string[]): Promise<Completion> {
  const root = program();
  return complete(root, words, valuesFrom({ files, root, shipped: (path) => readFileSync(path, "utf8") }));
}

const completed = async (...words: string[]) => (await completion(...words)).candidates.map(({ word }) => word);

const HOME = "environments/homelab";

test("commands, and the commands of a group", async () => {
  expect(await completed("st")).toEqual(["status", "stop", "start"]);
  expect(await completed("node", "")).toEqual(["replace"]);
  expect(await completed("help", "node", "re")).toEqual(["replace"]);
  expect(await completed("runs", "s")).toEqual(["show"]);
  expect(await completed("lab", "se")).toEqual([]);
});

test("environments are the folders with a config below what was typed; folders and links that cannot be read are left out", async () => {
  const all = ["broken", "flat", "home-2", "homelab", "piped", "two"].map((name) => `environments/${name}`);
  expect(await completed("up", "")).toEqual(all);
  expect(await completed("up", "environments/ho")).toEqual(["environments/home-2", HOME]);
  expect(await completed("runs", "show", "./env")).toEqual(all.map((path) => `./${path}`));
  expect(await completion("up", "nowhere/")).toEqual({ candidates: [], paths: "folders" });
});

test("nodes are those of the config, and those that outputs.json still has", async () => {
  const nodes = ["cp-1", "worker-1", "worker-2", "gpu-1", "worker-3"];
  expect(await completed("up", HOME, "--allow-remove", "")).toEqual(nodes);
  expect(await completed("node", "replace", HOME, "")).toEqual(nodes);
  expect(await completed("up", HOME, "--allow-remove=worker-")).toEqual(
    ["worker-1", "worker-2", "worker-3"].map((node) => `--allow-remove=${node}`),
  );
  expect(await completed("down", HOME, "--destroy-disk", "g")).toEqual(["gpu-1/"]);
  expect(await completed("node", "replace", "environments/home-2", "c")).toEqual(["cp-1"]);
  expect(await completed("node", "replace", "environments/flat", "")).toEqual(["cp-1", "w-1"]);
  expect(await completed("node", "replace", "environments/two", "")).toEqual(["one"]);
  expect(await completed("node", "replace", "environments/broken", "")).toEqual([]);
  // A pipe is not read.
  expect(await completed("node", "replace", "environments/piped", "")).toEqual([]);
});

test("stages, platforms, runs, addons, shells and codes of errors", async () => {
  expect(await completed("up", HOME, "--only", "pr")).toEqual(["preflight", "provision"]);
  expect(await completed("init", "")).toEqual(["proxmox", "metal", "vps"]);
  expect(await completed("runs", "show", HOME, "")).toEqual(["last", "2026-11-16T08-00-00", "2026-11-15T20-14-03"]);
  expect(await completed("up", HOME, "--remove-addon", "longh")).toEqual(["longhorn"]);
  expect(await completed("completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(await completed("runbook", "PROXMOX_P")).toEqual(["PROXMOX_PERMISSION"]);
});

test("keys of config.yaml, section by section; planned ones are left out", async () => {
  expect(await completed("explain", "clus")).toEqual(["cluster."]);
  expect(await completed("explain", "cluster.talos")).toEqual(["cluster.talos", "cluster.talosApiAccess."]);
  expect(await completed("explain", "nodes.nics.vl")).toEqual(["nodes.nics.vlans.", "nodes.nics.vlan"]);
  expect(await completed("explain", "image.over")).toEqual([]);
});

test("flags: each once unless it is repeatable, and none after --", async () => {
  expect(await completed("up", HOME, "--allow")).toEqual(["--allow-remove", "--allow-volume-loss"]);
  expect(await completed("up", HOME, "--allow-remove", "cp-1", "--allow-r")).toEqual(["--allow-remove"]);
  expect(await completed("up", "--only", "image", HOME, "--on")).toEqual([]);
  expect(await completed("up", "--", "--on")).toEqual([]);
  expect(await completed("outputs", HOME, "")).toContain("--json");
  expect(await completed("runs", HOME, "--wi")).toEqual([]);
  expect(await completed("verify", HOME, "--wait", "--js")).toEqual(["--json"]);
});

const FREE_TEXT = [
  ...[
    "name",
    "version",
    "address",
    "network",
    "count",
    "url",
    "sha256",
    "names",
    "storage",
    "bridge",
    "path",
    "addresses",
    "length",
  ],
  ...[
    "networks",
    "budget",
    "duration",
    "host",
    "port",
    "age1…",
    "text",
    "factor",
    "minutes",
    "hosts",
    "cidr",
    "what",
    "args",
    "site",
  ],
  ...[
    "n",
    "p",
    "prefix",
    "mapping=host:device",
    "mapping=host:vendor:product",
    "bridge=network[,dhcp",
    "n=host",
    "event",
    "pool=count",
  ],
];

test("every argument and every option with a value has candidates, or takes free text", () => {
  const kinds = (command: Command): string[] => [
    ...command.registeredArguments.flatMap((argument) => (argument.argChoices ? [] : [argument.name()])),
    ...command.options.flatMap(({ flags, argChoices }) => (argChoices ? [] : (/[<[]([^>\]]+)[>\]]/.exec(flags)?.slice(1) ?? []))),
    ...command.commands.flatMap(kinds),
  ];
  const undecided = kinds(program()).filter((kind) => !isKnownKind(kind) && !FREE_TEXT.includes(kind));
  expect(undecided).toEqual([]);
});
