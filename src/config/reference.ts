import { type Path, pathName } from "@talosmith/lib/yaml/tree.ts";
import * as z from "zod";
import { configJsonSchema } from "./json-schema.ts";
import { ADDON_PARTS, SETTING_PARTS } from "./reference-parts.ts";
import { type JsonSchema, kindOf, words } from "./reference-words.ts";
import { configSchema } from "./schema/schema.ts";
import { leaves } from "./schema/value.ts";
import { keysAt, schemaAt } from "./schema/walk.ts";
import { FLAT_KEYS } from "./spellings/flat-keys.ts";

/** docs/reference/config.md, from the schema: what each key may hold, what holds without it, and what is not built yet. */
export function configReference(): string {
  const own = keysAt(NODE, "available").filter((key) => !keysAt(SETTINGS, "available").includes(key));
  return `${HEAD}
${section("The file", [], "The keys at the top.")}
${section("cluster", ["cluster"])}
${section("cluster.talosApiAccess", ["cluster", "talosApiAccess"])}
${section("network", ["network"])}
${section("network.ssh", ["network", "ssh"])}
${section("network.proxy", ["network", "proxy"])}
${section("image", ["image"])}
${section("proxmox", ["proxmox"], `${about(["proxmox"])} For \`platform: proxmox\` only, and required there. One of \`hosts\` and \`host\` must be there; and \`token\`, or \`user\` and \`password\`.`)}
${section("proxmox.tls", ["proxmox", "tls"], "Exactly one of the two; or `tls: system` without any of them.")}
${section("proxmox.storage", ["proxmox", "storage"])}
${section("proxmox.ssh", ["proxmox", "ssh"])}
${section("vps", ["vps"], `${about(["vps"])} For \`platform: vps\` only.`)}
${section("vps.provider", ["vps", "provider"], "Instead of the name alone.")}
${section("vps.ssh", ["vps", "ssh"])}
${section("nodes[]", NODE, undefined, own)}
${section("Settings of a node", SETTINGS, `${about(["defaults"])} Each of them may be written on a node of \`nodes\`, or under \`defaults.all\`, \`defaults.controlplane\` or \`defaults.worker\`.`)}
${SETTING_PARTS.map(([title, path, intro]) => section(title, [...SETTINGS, ...path], intro)).join("\n")}
${section("patches", ["patches"])}
${section("registries", ["registries", "docker.io"], about(["registries"]))}
${section("firewall", ["firewall"])}
${section("firewall.open[]", ["firewall", "open", 0], "What else is let in.")}
${section("wireguard", ["wireguard"])}
${section("wireguard.peers[]", ["wireguard", "peers", 0])}
${section("addons", ["addons"])}
${ADDON_PARTS.map(([path, intro]) => section(pathName(["addons", ...path]).replaceAll("[0]", "[]"), ["addons", ...path], intro)).join("\n")}
${section("maintenance", ["maintenance"])}
${section("backup", ["backup"])}
${section("verify", ["verify"])}
${proxmoxRules()}
${metalRules()}
${vpsRules()}
${spellings()}
${notYet()}`;
}

const NODE: Path = ["nodes", 0];
const SETTINGS: Path = ["defaults", "all"];
const HEAD = `# What config.yaml can say

Made from the schema by a test; do not edit. [environments/proxmox-example](../../environments/proxmox-example/config.yaml),
[environments/metal-example](../../environments/metal-example/config.yaml) and [environments/vps-example](../../environments/vps-example/config.yaml) show the same keys in use. The whole file is checked before anything is contacted, and every problem is reported with its line and a hint.

- Any value may be \`\${env:NAME}\`, an environment variable, or \`\${file:PATH}\`, a file; the path is relative to the environment's folder.
- Sizes have a unit: \`MiB\`, \`GiB\` or \`TiB\`.
- *required* in the column *default* means: required wherever its section is written.
`;

function section(title: string, path: Path, intro = about(path), keys = keysAt(path, "available")): string {
  const { required = [] } = objectAt(path);
  const rows = keys.map((key) => row(path, key, required.includes(key)));
  return `## ${title}\n\n${intro}\n\n| key | value | default | what it is |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function row(path: Path, key: string, required: boolean): string {
  const json = jsonAt([...path, key]);
  const [, text = "", byDefault] = /^(.*?)(?: By default (.*)\.)?$/s.exec(json.description ?? "") ?? [];
  const given = json.default === undefined ? byDefault : `\`${plain(json.default)}\``;
  return cells([`\`${key}\``, shownAs([...path, key], json), required ? "*required*" : (given ?? ""), text]);
}

/** The words it may be, or its range, or an example: what helps most to write one. */
function shownAs(path: Path, json: JsonSchema): string {
  const schema = schemaAt(path);
  const leaf = schema && leaves.get(schema);
  if (leaf?.choices && json.enum) return words(leaf.choices);
  if (json.type === "boolean") return kindOf(json);
  if (json.type === "integer") return `${json.minimum} to ${json.maximum}`;
  if (json.type === "object") return json.properties ? "a section" : `names and values, such as \`${plain(leaf?.example)}\``;
  if (json.items?.type === "object") return `a list of sections`;
  return `${json.type === "array" ? "a list, " : ""}such as \`${plain(json.type === "string" ? (json.default ?? leaf?.example) : leaf?.example)}\``;
}

function proxmoxRules(): string {
  return `## platform: proxmox

Machines are made here, each with a network card and a system disk with Talos on it, and what \`nics\`, \`disks\`, \`pci\` and \`usb\` add.

- \`installDisk\` and \`bond\` are not used, and \`vlan\` is what the bridge tags a machine's packets with; \`image.arch\` is \`amd64\`.
- With \`count\`, the addresses of a pool's own \`nics\` count up as \`ip\` does. Their MAC addresses are derived unless written.
- A disk is known by its name, wherever it is plugged in; one that is in the machine and not in the config is never removed.
- Encryption by \`tpm\` needs \`tpm: true\`.
- \`affinity\`, \`hugepages\`, and \`pci\` and \`usb\` without a mapping need \`user: root@pam\` and its password: Proxmox lets no token do that.
- \`machine\`, \`disks\`, \`pci\` and the like are one value each: a node's own replaces that of the defaults.
- A gateway outside of \`network.cidr\` is refused: Proxmox does not set one up.
`;
}

function metalRules(): string {
  return `## platform: metal

Nothing is made: the machines have been started from the image factory's metal image and wait in maintenance mode at their addresses.

- There is no \`proxmox\` section, no \`image.method\`, and no setting that describes a machine (\`cores\`, \`memory\`, \`disk\`, \`vmid\` …).
- \`ip\` is where the machine is now. With \`mac\`, or \`bond\`, the node is given this address for good, with its gateway, \`vlan\` and
  \`network.nameservers\`; without them it keeps what its network gives it, so its DHCP server must always give it the same.
- Control planes need \`mac\` or \`bond\` when the endpoint is a virtual IP: it says which network card the address floats on.
- What is on \`installDisk\` is lost when Talos is installed to it.
`;
}

function vpsRules(): string {
  return `## platform: vps

Rented servers, each of which is overwritten with Talos through its rescue system, over SSH.

- There is no \`proxmox\` section, no \`image.method\`, and no setting that describes a machine, as on metal. No address floats: there is no
  \`cluster.vip\`, and \`cluster.endpoint\` is a control plane's address, a DNS name or a load balancer.
- \`network.cidr\` and \`network.gateway\` are only what servers have in common: a server's own \`ip\` may have its prefix length behind it
  (\`203.0.113.11/32\`), its own \`gateway\` may be outside of its network. With \`dhcp: true\` its network tells it both.
- Its addresses are given to the card \`mac\` names, to its \`bond\`, or to the only card it has.
- \`installDisk\` names the disk that is overwritten, by default the only one there is. One that holds data is overwritten only when its
  \`serial\` or \`wwid\` stands there, or when a person types the node's name.
- Of \`nodes[].ssh\`, \`defaults\` and \`vps.ssh\`, each key is taken from the nearest that has it. \`hostKey: first\` believes whoever answers.
- \`firewall.admin\` is required, unless \`firewall.enabled\` is \`false\`. Nodes let each other in one by one.
- A network in which every server has a card under \`nics\`, each with its address (\`10.0.0.11/24\`, or \`10.0.0.11/32\` with a route to the whole), is the private network
  of the cluster: kubelets, etcd and pods talk there, and the servers' \`ip\` is for people and the Internet.
- \`cluster.kubespan\` is \`true\` by default when the nodes are in different networks, have no private one, and \`cluster.discovery\` is not off.
- The kernel argument \`talos.config=metal-iso\` is added, by which Talos finds its config on the disk from the first start on; not with
  \`image.schematic\`, and not when another \`talos.config\` is written: then the server waits in maintenance mode for its config.
`;
}

function spellings(): string {
  const rows = Object.entries(FLAT_KEYS).map(([key, { to, example, required = [], only }]) => {
    const needed = required.length === 2 ? "*required*" : required.map((one) => `*required on ${one}*`).join();
    const where = only === undefined || required.length > 0 ? needed : `only on ${only}`;
    return cells([`\`${key}\``, `such as \`${example}\``, where, `\`${pathName(to)}\``]);
  });
  return `## Flat keys

What a \`config.yml\` in FluoData's spelling may say, and the key each becomes; [the guide](../guides/03-other-config-formats.md) tells more.
Entries of the two lists of nodes may have every setting of a node; there, \`memory\` is a number of MB and \`disk\` one of GB, too.

| key | value | | becomes |
|---|---|---|---|
${rows.join("\n")}
`;
}

const PLACES: readonly [string, Path][] = [
  ["", []],
  ["cluster", ["cluster"]],
  ["network", ["network"]],
  ["image", ["image"]],
  ["proxmox", ["proxmox"]],
  ["addons", ["addons"]],
  ["nodes[]", NODE],
  ["nodes[].nics[]", [...NODE, "nics", 0]],
  ["nodes[].disks[]", [...NODE, "disks", 0]],
];

function notYet(): string {
  const keys = PLACES.flatMap(([name, path]) => {
    const available = keysAt(path, "available");
    const planned = keysAt(path, "all").filter((key) => !available.includes(key));
    return [
      ...available.flatMap((key) => plannedChoices(name, [...path, key])),
      ...planned.map((key) => plannedKey(`${name}${name && "."}${key}`, [...path, key])),
    ];
  });
  return `## Not available yet

These are known, so that a file can be written with them in mind, and refused with their line until they are built. Settings of a node
are refused under \`defaults\`, too.

| key | value | what it will be | until then |
|---|---|---|---|
${keys.join("\n")}
`;
}

function plannedKey(name: string, path: Path): string {
  const json = jsonAt(path);
  const what = (json.description ?? "").replace(/ Not available yet\.$/, "");
  return cells([`\`${name}\``, kindOf(json), what, refusalOf(pipeAt(path)?.out, undefined)]);
}

/** Words of a choice that are known and refused. */
function plannedChoices(section: string, path: Path): string[] {
  const schema = schemaAt(path);
  const choices = schema && leaves.get(schema)?.choices;
  const refused = choices ? (jsonAt(path).enum ?? []).filter((word) => !choices.includes(word)) : [];
  const name = `${section}${section && "."}${path.at(-1)}`;
  return refused.map((word) => cells([`\`${name}\``, `\`${word}\``, "One more choice.", refusalOf(schema, word)]));
}

/** What the schema itself says to do instead. */
function refusalOf(schema: z.core.$ZodType | undefined, value: unknown): string {
  const issue = schema && z.safeParse(schema, value).error?.issues.find(({ code }) => code === "custom");
  return String((issue as { params?: { hint?: string } } | undefined)?.params?.hint);
}

function pipeAt(path: Path): z.ZodPipe | undefined {
  const parent = path.length === 1 ? configSchema : schemaAt(path.slice(0, -1));
  const optional = parent instanceof z.ZodObject ? parent.shape[String(path.at(-1))] : undefined;
  const inner = optional instanceof z.ZodOptional ? optional.unwrap() : optional;
  return inner instanceof z.ZodPipe ? inner : undefined;
}

let whole: JsonSchema | undefined;

function jsonAt(path: Path): JsonSchema {
  whole ??= configJsonSchema() as JsonSchema;
  let here = whole;
  for (const step of path) here = below(here, step) ?? {};
  return here;
}

/** A value that may have several shapes is gone into by the one that has what is asked for. */
function below(json: JsonSchema, step: string | number): JsonSchema | undefined {
  for (const shape of [json, ...(json.anyOf ?? [])]) {
    const inner = typeof step === "number" ? shape.items : (shape.properties?.[step] ?? shape.additionalProperties);
    if (typeof inner === "object") return inner;
  }
  return undefined;
}

const objectAt = (path: Path) => objectIn(jsonAt(path));
const objectIn = (json: JsonSchema) => json.anyOf?.find((one) => one.properties) ?? json;
const about = (path: Path) => jsonAt(path).description ?? "";
const plain = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
const cells = (all: readonly string[]) => `| ${all.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
