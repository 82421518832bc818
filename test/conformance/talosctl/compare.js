import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import { withDemo } from "../lab.js";
import { talosctlProgram } from "../talos-node/build.js";
import { runIn } from "../talos-node/talosmith.js";
import { DIFFERENT } from "./different.js";
import { askDemo } from "./part.js";

/** The same cluster in the lab: three control planes and a worker. */
const LIKE_THE_NODES = ["--control-planes", "3", "--workers", "1"];

/** Asks talosctl about a real control plane, in its network and with the talosconfig of this environment, and about one of a demo beside it. */
export async function sameOfLab(network, environment, { address }) {
  const program = await talosctlProgram({ make: true });
  const always = ["--talosconfig", join(environment, "talosconfig"), "--endpoints", address, "--nodes", address];
  const node = async (args) => {
    const { code, stdout, said } = await runIn(network, [program, ...args, ...always]);
    assert.equal(code, 0, said);
    return stdout;
  };
  const demo = `${environment}-demo`;
  await withDemo(demo, () => compareWithNode((args) => askDemo(program, demo)("cp", args), node), LIKE_THE_NODES);
}

/** How long a node may take to catch up, as etcd does after a firewall came on. */
const CATCHES_UP_MS = 60_000;

/**
 * talosctl's answers about a control plane of the lab and about a real one: their columns, names and words must be the same, but not their numbers and
 * addresses. `lab` and `node` call talosctl and give what it prints. What is different for a reason is in different.js.
 */
async function compareWithNode(lab, node) {
  const wrong = [];
  const met = new Set();
  for (const [call, shape] of Object.entries(SHAPES)) {
    const end = performance.now() + CATCHES_UP_MS;
    const facts = async (asked) => new Set(shape(await asked(call.split(" "))).map(plain));
    for (;;) {
      const differences = onlyOne(call, ...(await Promise.all([facts(lab), facts(node)])));
      const known = differences.map((difference) => DIFFERENT.find(({ what }) => what.test(difference)));
      for (const one of known) met.add(one);
      const unknown = differences.filter((_, place) => known[place] === undefined);
      if (unknown.length === 0) break;
      if (performance.now() < end) {
        await sleep(2000);
        continue;
      }
      wrong.push(...unknown);
      break;
    }
  }
  wrong.push(...DIFFERENT.filter((one) => !met.has(one)).map(({ what }) => `no difference any more: ${what}`));
  assert.deepEqual(wrong, [], wrong.join("\n"));
}

function onlyOne(call, ours, theirs) {
  return [
    ...[...ours].filter((fact) => !theirs.has(fact)).map((fact) => `${call}: only the lab: ${fact}`),
    ...[...theirs].filter((fact) => !ours.has(fact)).map((fact) => `${call}: only the node: ${fact}`),
  ];
}

/** Without what is another one on every machine: addresses, numbers of processes, times. */
function plain(text) {
  return text
    .replaceAll(/\b(10\.10\.0|127\.(?!0\.0\b)\d+\.\d+)(?=\.\d)/g, "NETWORK")
    .replaceAll(/127\.0\.0\.1:[3-6]\d{4}\b/g, "127.0.0.1:PORT")
    .replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:DIGEST")
    .replaceAll(/\bPID \d+/g, "PID");
}

/** Lines of a table as objects, by its columns; columns begin where their names do. */
function rows(text) {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const names = [...head.matchAll(/\S+( \S+)*/g)].map(({ 0: name, index }) => ({ name, index }));
  const cut = (line) => names.map(({ name, index }, n) => [name, line.slice(index, names[n + 1]?.index ?? line.length).trim()]);
  // Where two columns have the same name, the first is meant.
  return { names: names.map(({ name }) => name), lines: lines.map((line) => Object.fromEntries(cut(line).reverse())) };
}

/** The columns, and of each row the text of these. */
const table =
  (...columns) =>
  (text) => {
    const { names, lines } = rows(text);
    return [`columns ${names.join(", ")}`, ...lines.map((line) => columns.map((name) => line[name]).join(" "))];
  };

/** Of resources in YAML: their kinds, who writes them, and which fields they have; with `ids` also which there are. */
const resources =
  ({ ids = false } = {}) =>
  (text) =>
    parseAllDocuments(text).flatMap((document) => {
      const { metadata, spec } = document.toJS();
      const { namespace, type, id, owner, phase, labels, annotations } = metadata;
      return [
        `${namespace}/${type} of ${owner}, ${phase}`,
        ...(ids ? [`id ${id}`] : []),
        ...Object.keys({ ...labels, ...annotations }),
        ...paths(spec, ""),
      ];
    });

/** ".a.b[] string" */
function paths(value, at) {
  if (Array.isArray(value)) return value.length === 0 ? [] : value.flatMap((one) => paths(one, `${at}[]`));
  if (value === null || typeof value !== "object") return [`${at} ${typeof value}`];
  return Object.entries(value).flatMap(([key, one]) => paths(one, `${at}.${key}`));
}

/** Every word of them. */
const definitions = (text) => parseAllDocuments(text).map((document) => JSON.stringify(document.toJS().spec));

/** Names before a colon or an equals sign. */
const keys = (text) => [...text.matchAll(/^\s*([\w /]+)[:=]/gm)].map(([, key]) => key);

/** An event of several lines moves the columns of what comes below it. */
function services(text) {
  const lines = [...text.matchAll(/^\S+ {2,}(\S+) {2,}(\S+) {2,}(\S+) {2,}\S+ ago {2,}(.*)/gm)];
  return [text.split(/ *\n/)[0].replaceAll(/ {2,}/g, ", "), ...lines.map(([, ...words]) => words.join(" "))];
}

/** Who listens where. */
function listeners(text) {
  const { names, lines } = rows(text);
  const program = (line) => line["PID/Program name"]?.replace(/^\d+\//, "");
  return [
    `columns ${names.join(", ")}`,
    ...lines.map((line) => `${line.Proto} ${line["Local Address"]} ${line["Foreign Address"]} ${line.State} ${program(line)}`),
  ];
}

/** Of the graph: which controller writes which kind of resources. */
function writers(text) {
  const labels = new Map([...text.matchAll(/^\s*(n\d+)\[[^\]]*label="([^"]+)"/gm)].map(([, name, label]) => [name, label]));
  return [...text.matchAll(/(n\d+)->(n\d+)\[[^\]]*style="(?:bold|solid)"/g)].map(
    ([, from, to]) => `${labels.get(from)} -> ${labels.get(to)}`,
  );
}

const KINDS = [
  ..."apicertificate certsans dnsupstream etcdspec hostdnsconfig imagecacheconfig kubeletconfig linkspecs manifests".split(" "),
  ..."nodelabelspec staticpods mountstatus".split(" "),
  ..."addresses etcdmember links machinestatus members nodeaddress nodename routes services version".split(" "),
];
const WITH_IDS = ["manifests", "staticpods", "nodelabelspec", "nodeaddress", "kernelparamstatus"];

/** Calls, and what of their answers is compared. */
const SHAPES = {
  version: keys,
  service: services,
  "service etcd": (text) => [...text.matchAll(/^(\w+) {2}/gm)].map(([, key]) => key),
  containers: table("NAMESPACE", "ID", "IMAGE", "STATUS"),
  stats: table("NAMESPACE", "ID"),
  processes: table("COMMAND"),
  mounts: table("MOUNTED ON"),
  memory: table(),
  "netstat -l -p": listeners,
  "list /": table("NAME"),
  "list -l /": table("MODE", "UID", "GID", "NAME"),
  "usage /etc": table(),
  "read /etc/os-release": keys,
  "image list --namespace system": table("IMAGE", "LABELS"),
  "etcd members": table("HOSTNAME", "PEER URLS", "CLIENT URLS", "LEARNER"),
  "etcd status": table("LEARNER", "PROTOCOL", "STORAGE", "ERRORS"),
  "etcd alarm list": table(),
  "cgroups --preset memory": table(),
  "inspect dependencies": writers,
  "get rd -o yaml": definitions,
  "get namespaces": table("ID"),
  ...Object.fromEntries(KINDS.map((kind) => [`get ${kind}`, table("NAMESPACE", "TYPE")])),
  ...Object.fromEntries(
    [...KINDS, "kernelparamstatus"].map((kind) => [`get ${kind} -o yaml`, resources({ ids: WITH_IDS.includes(kind) })]),
  ),
};
