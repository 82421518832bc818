import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import type { Manifest } from "../../catalog/addons/addon.ts";
import { changed, failure, load, TOKEN, type Trial } from "../testing/config-in-memory.ts";

const withManifests = (text: string) => changed({ "nodes:": `addons:\n  manifests:\n${text}\nnodes:` });
const FILE = "environments/homelab/config.yaml";

function objects(text: string, files: Record<string, string> = {}, redactor = new Redactor()): readonly Manifest[] {
  const trial = { files, env: { PROXMOX_TOKEN: TOKEN, NAME: "swordfish" } };
  return load(withManifests(text), trial, redactor).config.addons.all.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "objects" ? part.objects : [])),
  );
}

const told = (text: string, trial: Trial = {}) =>
  failure(withManifests(text), trial).problems.map(({ code, where, message, hint }) => [
    code,
    `${where?.file}:${where?.line}:${where?.column}`,
    message,
    hint,
  ]);

test("a file holds several objects, Lists are unrolled, and an object may be written in the config", () => {
  const files = {
    "m/a.yaml":
      "# first\n---\napiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n---\napiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: Secret, metadata: { name: b } }\n- { apiVersion: x/v1, kind: Own, metadata: { name: c } }\n",
  };
  const inline = "    - inline: { apiVersion: v1, kind: ConfigMap, metadata: { name: d } }";
  expect(objects(`    - m/a.yaml\n${inline}`, files).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "Namespace a",
    "Secret b",
    "Own c",
    "ConfigMap d",
  ]);
});

test.each([
  ["m/Ingress_NGINX.yml", "ingress-nginx"],
  ["~/up/../a.json", "a"],
  ["---.yaml", "manifests-1"],
])("the objects of %s are called %s", (file, name) => {
  const text = "apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n";
  const env = { PROXMOX_TOKEN: TOKEN, HOME: "/home/me" };
  const files = { [file]: text, "/home/me/up/../a.json": text, "/home/me/a.json": text };
  expect(load(withManifests(`    - "${file}"`), { files, env }).config.addons.all.map((addon) => addon.name)).toEqual([name]);
});

// What kubectl makes of the same text (sigs.k8s.io/yaml, YAML 1.1).
test("numbers and words are read as kubectl reads them", () => {
  const text = `apiVersion: v1
kind: Own
metadata: { name: a }
spec:
  mode: 0755
  ready: yes
  stopped: "no"
  half: 0.50
  text: '0755'
  long: |
    yes
`;
  expect(objects("    - a.yaml", { "a.yaml": text })[0]?.spec).toEqual({
    ...{ mode: 493, ready: true, stopped: "no", half: 0.5, text: "0755", long: "yes\n" },
  });
});

test("references are filled in, and other expressions with a dollar are left unchanged", () => {
  const redactor = new Redactor();
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { a: "\${env:NAME}", b: "\${cluster_domain}" }\n`;
  expect(objects("    - a.yaml", { "a.yaml": text }, redactor)[0]?.data).toEqual({ a: "swordfish", b: `\${cluster_domain}` });
  expect(redactor.text("swordfish")).toBe("(secret)");
});

test("the values of a Secret are secrets, in base64 and decoded", () => {
  const redactor = new Redactor();
  const text = `apiVersion: v1\nkind: Secret\nmetadata: { name: abcdef }\ndata: { a: ${btoa("trout-trout")} }\nstringData: { b: salmon-salmon }\n`;
  objects("    - a.yaml", { "a.yaml": text }, redactor);
  expect(redactor.text(`abcdef trout-trout ${btoa("trout-trout")} salmon-salmon`)).toBe("abcdef (secret) (secret) (secret)");
});

test("a missing file is reported where the config names it", () => {
  expect(told("    - m/gone.yaml")).toEqual([
    [
      "CONFIG_FILE",
      `${FILE}:16:7`,
      "manifest file environments/homelab/m/gone.yaml does not exist",
      "create it, or correct the path: it is relative to the environment's folder",
    ],
  ]);
});

const OBJECT = "apiVersion: v1\nkind: Own\nmetadata: { name: a }\n";

test.each([
  ["a: [\n", "CONFIG_SYNTAX", "1:4", /./],
  ["# nothing\n", "CONFIG_FILE", "1:1", /is empty/],
  ["- a\n", "CONFIG_VALUE", "1:1", /must be a section of keys, not a list/],
  ["kind: Own\nmetadata: { name: a }\n", "CONFIG_VALUE", "1:1", /has no apiVersion/],
  ["apiVersion: v1\nkind: 5\nmetadata: { name: a }\n", "CONFIG_VALUE", "2:7", /has an unusable kind/],
  ["apiVersion: v1\nkind: Own\nmetadata:\n  labels: {}\n", "CONFIG_VALUE", "3:1", /has no metadata.name/],
  ["apiVersion: v1\nkind: Job\nmetadata: { generateName: a- }\n", "CONFIG_VALUE", "3:1", /has no metadata.name/],
  ["apiVersion: v1\nkind: Own\nmetadata: { name: a, namespace: 7 }\n", "CONFIG_VALUE", "3:33", /unusable metadata.namespace/],
  [`${OBJECT}---\n${OBJECT}spec: .inf\n`, "CONFIG_VALUE", "8:7", /an invalid number/],
  [`${OBJECT}sops: { mac: x }\n`, "CONFIG_VALUE", "4:7", /encrypted with SOPS/],
  ["apiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: Own }\n", "CONFIG_VALUE", "4:3", /has no metadata.name/],
  [`${OBJECT}a: \${env:GONE}\n`, "CONFIG_REFERENCE", "4:4", /GONE/],
])("the problem of %j is reported in the manifest's own file", (text, code, place, message) => {
  const problems = told("    - a.yaml", { files: { "a.yaml": text } });
  expect(problems).toHaveLength(1);
  const [problem = []] = problems;
  expect([problem[0], problem[1]]).toEqual([code, `environments/homelab/a.yaml:${place}`]);
  expect(problem[2]).toMatch(message);
  expect(problem[3]).not.toBe("");
});

test.each([
  ["    - https://example.org/a.yaml", "16:7", "is a URL, not a file name", "write { url: https://example.org/a.yaml }"],
  ["    - { sha256: aa }", "16:17", "is not a SHA-256 hash", "write 64 lower-case hexadecimal digits, as sha256sum prints them"],
  ["    - {}", "16:7", "must have either url or inline", "write the name of a file, { url: https://… } or { inline: { … } }"],
  ["    - 7", "16:7", "is not valid", "write the name of a file, { url: https://… } or { inline: { … } }"],
])("%s is reported with a hint", (text, at, message, hint) => {
  const [problem, ...more] = failure(withManifests(text)).problems;
  expect(`${problem?.where?.line}:${problem?.where?.column}`).toBe(at);
  expect(problem?.message).toMatch(new RegExp(`^addons.manifests\\[0\\]\\S* ${message}$`));
  expect([problem?.hint, more]).toEqual([hint, []]);
});

test("no code frame shows a secret of a manifest file", () => {
  const text = `apiVersion: v1\nkind: Secret\nmetadata: { name: a, namespace: 7 }\nstringData: { own: salmon-salmon }\n`;
  const report = failure(withManifests("    - a.yaml"), { files: { "a.yaml": text } }).report();
  expect(JSON.stringify(report)).not.toContain("salmon");
});
