import { readsAsMore } from "@talosmith/lib/yaml/reads-as-more.ts";
import type { Path, ScalarTree, Tree } from "@talosmith/lib/yaml/tree.ts";
import { Document, type Scalar, visit } from "yaml";
import { exampleFile } from "../files.ts";
import { manifestValue } from "../manifests/manifest-values.ts";
import { patchValue } from "../patches/patch-values.ts";
import type { Platforms } from "../platform.ts";
import { PATCHES } from "../references.ts";
import { Grammar } from "../schema/grammar.ts";

/** The sections in the order people read them, each with what it is about; those of platforms stand between the two lists. */
const CLUSTER: readonly (readonly [key: string, about: string])[] = [
  ["platform", "Platform of the machines."],
  ["cluster", "The Kubernetes cluster."],
  ["network", "The nodes' network, and how this computer reaches it."],
  ["image", "The Talos image the machines boot."],
];
const NODES_AND_MORE: readonly (readonly [key: string, about: string])[] = [
  ["defaults", "Defaults of nodes. A node's own keys override those of its role, which override those of all."],
  ["nodes", "The nodes. With count, an entry is a pool of identical nodes."],
  ["patches", "Talos patches, applied before those of the defaults and of nodes."],
  ["registries", "Settings of image registries, by host."],
  ["firewall", "Ingress firewall of the nodes."],
  ["wireguard", "WireGuard network for access to the nodes."],
  ["addons", "Software to install into the cluster."],
  ["maintenance", "How nodes are taken out of service."],
  ["verify", "Tests of the cluster when it is up."],
];

/** Any config as one config.yaml: the same values and references, in sections. What it extended is in it. */
export function writeConfig(platforms: Platforms, tree: Tree, from: readonly string[]): string {
  const written = plainAsWritten(tree) as Record<string, unknown>;
  const grammar = Grammar.of(platforms);
  const inOrder = [...CLUSTER, ...sectionsOf(platforms), ...NODES_AND_MORE];
  const known = inOrder.map(([key]) => key);
  const others = Object.keys(written).filter((key) => !known.includes(key) && key !== "extends");
  const sections = [...inOrder, ...others.map((key) => [key, ""] as const)].filter(([key]) => Object.hasOwn(written, key));
  return [
    "# yaml-language-server: $schema=../../schema/config.schema.json",
    "#",
    `# Generated from ${from.join(" and ")} by talosmith import. Edit this file from now on; ${exampleFile(platforms)}`,
    "# explains every key.",
    ...sections.map(([key, about]) => `\n${about === "" ? "" : `# ${about}\n`}${oneSection(grammar, key, written[key])}`),
    "",
  ].join("\n");
}

function sectionsOf({ available }: Platforms): (readonly [key: string, about: string])[] {
  const all = available.flatMap(({ keys }) => Object.entries(keys?.sections ?? {}));
  return all.map(([key, schema]) => [key, schema.description ?? ""]);
}

function oneSection(grammar: Grammar, key: string, value: unknown): string {
  const inOrder = Array.isArray(value) ? value.map((item) => ordered(grammar, item, [key, 0])) : ordered(grammar, value, [key]);
  const document = new Document({ [key]: inOrder }, { aliasDuplicateObjects: false });
  visit(document, { Scalar: (_, scalar) => quoteWhatReadsAsMore(scalar) });
  return document.toString({ lineWidth: 0 }).trimEnd();
}

/** The library writes for readers of YAML 1.2; charts and manifests are read by those of 1.1, to whom no is false. */
function quoteWhatReadsAsMore(scalar: Scalar): void {
  if (typeof scalar.value === "string" && readsAsMore(scalar.value)) scalar.type = "QUOTE_DOUBLE";
}

/** Keys in the order of the schema, which is the one of the documentation. */
function ordered(grammar: Grammar, value: unknown, path: Path): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const known = grammar.keysAt(path, "all");
  const rank = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length);
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => rank(a) - rank(b)));
}

/** Keys below which numbers are what others take them for. */
const READ_AS = new Map<string, (scalar: ScalarTree) => unknown>([
  [PATCHES, (scalar) => patchValue(scalar, [])],
  ["values", (scalar) => manifestValue(scalar, () => {})],
  ["inline", (scalar) => manifestValue(scalar, () => {})],
]);

/** References stay references, and numbers of patches, charts and manifests what Talos and Kubernetes take them for. */
function plainAsWritten(tree: Tree, read = (scalar: ScalarTree): unknown => scalar.value): unknown {
  if (tree.kind === "scalar") return tree.written ?? read(tree);
  if (tree.kind === "list") return tree.items.map((item) => plainAsWritten(item, read));
  const entries = [...tree.entries].map(([key, { value }]) => [key, plainAsWritten(value, READ_AS.get(key) ?? read)] as const);
  return Object.fromEntries(entries);
}
