import { Redactor } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import type { ReleasePart } from "../catalog/addons/addon.ts";
import { changed, load, TOKEN, type Trial } from "./testing/config-in-memory.ts";

const withCilium = (addons = "") =>
  changed({ "talos: v1.13.9": "talos: v1.13.9\n  cni: cilium", "nodes:": `${addons}${addons === "" ? "" : "\n"}nodes:` });
const withAddons = (addons: string) => changed({ "nodes:": `addons:\n${addons}\nnodes:` });
const addonsOf = (config: string, trial: Trial = {}) => load(config, trial).config.addons;
const partsOf = (config: string, trial: Trial = {}) => addonsOf(config, trial).all.flatMap(({ parts }) => parts);

function releaseOf(config: string, trial: Trial = {}): ReleasePart {
  const [part] = partsOf(config, trial);
  return part?.kind === "release" ? part : expect.fail("a release was expected");
}

test("without cilium as pod network there are no addons", () => {
  expect(addonsOf(changed({}))).toEqual({ helmImage: "docker.io/alpine/helm:3.18.6", all: [] });
});

test("cluster.cni: cilium installs a known release from cilium's repository", () => {
  const { config, where } = load(withCilium());
  expect(config.addons.all).toMatchObject([{ name: "cilium", tier: "network" }]);
  expect(releaseOf(withCilium())).toMatchObject({ version: "1.20.1", repository: "https://helm.cilium.io" });
  expect(where(config.addons.all[0]?.path ?? [])?.line).toBe(6);
});

test("version, repository, values and helm's image can be set", () => {
  const addons = `addons:
  helmImage: registry.home:5000/helm:v3@sha256:${"ab".repeat(32)}
  cilium:
    version: "1.17.3"
    repository: oci://registry.home/charts/
    values: { hubble: { relay: { enabled: true } }, list: [1, 2.5, null, "x"] }`;
  expect(addonsOf(withCilium(addons)).helmImage).toBe(`registry.home:5000/helm:v3@sha256:${"ab".repeat(32)}`);
  expect(releaseOf(withCilium(addons))).toMatchObject({
    version: "1.17.3",
    repository: "oci://registry.home/charts",
    values: { hubble: { relay: { enabled: true } }, list: [1, 2.5, null, "x"], kubeProxyReplacement: true },
  });
});

test("referenced values are marked so that no plan shows them, and redacted in every text", () => {
  const redactor = new Redactor();
  const config = withCilium(
    `addons: { cilium: { values: { a: [{ b: "\${env:NAME}" }], c: "x\${env:NAME}", d: "\${HOME}", e: "\${x:-y}" } } }`,
  );
  const { addons } = load(config, { env: { PROXMOX_TOKEN: TOKEN, NAME: "swordfish" } }, redactor).config;
  const [release] = addons.all[0]?.parts ?? [];
  expect(release).toMatchObject({
    values: { a: [{ b: "swordfish" }], c: "xswordfish", d: `\${HOME}`, e: `\${x:-y}` },
    secretPaths: ["a.0.b", "c"],
  });
  expect(redactor.text("it is swordfish")).toBe("it is (secret)");
});

// What Helm's own reader makes of the same text: YAML 1.1 as in sigs.k8s.io/yaml.
test("values are read as Helm reads them: a leading zero is octal, yes and off are true and false", () => {
  const values = `{ mode: 0644, on1: yes, off1: Off, text: "yes", word: yesterday, number: 1.50 }`;
  expect(releaseOf(withCilium(`addons: { cilium: { values: ${values} } }`)).values).toMatchObject({
    ...{ mode: 420, on1: true, off1: false, text: "yes", word: "yesterday", number: 1.5 },
  });
});

test("a preset may be true, a section, or false for none", () => {
  const names = (text: string) => addonsOf(withAddons(text)).all.map(({ name }) => name);
  expect(names("  certManager: true\n  localPath: {}\n  nvidia: false")).toEqual(["cert-manager", "local-path"]);
});

test("addons come by tiers, and within one in the order of the reference", () => {
  const text = `  flux: { url: https://git.home/x }
  charts: [{ name: own, chart: own, repository: https://charts.home, version: 1.2.3 }]
  longhorn: true
  certManager: true
  manifests: [{ url: https://example.org/a.yaml }]
  secrets: [{ name: a, namespace: b, data: { c: "\${env:D}" } }]`;
  const config = withAddons(text).replace("talos: v1.13.9", "talos: v1.13.9\n  cni: cilium");
  const all = addonsOf(config, { env: { PROXMOX_TOKEN: TOKEN, D: "swordfish" } }).all;
  expect(all.map(({ name, tier }) => `${tier} ${name}`)).toEqual([
    "network cilium",
    "secrets secrets",
    "presets cert-manager",
    "presets longhorn",
    "manifests manifests-1",
    "charts own",
    "gitops flux",
  ]);
});

test("a chart is installed as a release in a namespace of its name by default", () => {
  const chart = `  charts: [{ name: own, chart: thing, repository: oci://charts.home/x/, version: v1.2.3, namespaceLabels: { a.b/c: 1 } }]`;
  expect(releaseOf(withAddons(chart))).toEqual({
    kind: "release",
    name: "own",
    namespace: "own",
    chart: "thing",
    repository: "oci://charts.home/x",
    version: "v1.2.3",
    values: {},
    namespaceLabels: { "a.b/c": "1" },
    secretPaths: [],
  });
});

test("secrets become objects with base64 values, in namespaces that are created first", () => {
  const redactor = new Redactor();
  const text = `  secrets:
    - { name: a, namespace: apps, data: { token: "\${env:T}", number: 7 } }
    - { name: b, namespace: kube-system, type: example.com/x, data: { token: "\${env:T}" } }`;
  const { config } = load(withAddons(text), { env: { PROXMOX_TOKEN: TOKEN, T: "swordfish" } }, redactor);
  const secret = { apiVersion: "v1", kind: "Secret" };
  expect(config.addons.all[0]?.parts).toEqual([
    {
      kind: "objects",
      name: "namespaces",
      objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "apps" } }],
    },
    {
      kind: "objects",
      name: "secrets",
      objects: [
        {
          ...{ ...secret, metadata: { name: "a", namespace: "apps" }, type: "Opaque" },
          data: { token: btoa("swordfish"), number: btoa("7") },
        },
        {
          ...{ ...secret, metadata: { name: "b", namespace: "kube-system" }, type: "example.com/x" },
          data: { token: btoa("swordfish") },
        },
      ],
    },
  ]);
  expect(redactor.text(`apps ${btoa("swordfish")}`)).toBe("apps (secret)");
});

test("every addon has its line in the config", () => {
  const text = `  certManager: true
  manifests:
    - { url: https://example.org/a.yaml }
    - { url: https://example.org/b.yaml }
  charts:
    - { name: own, chart: own, repository: https://charts.home, version: 1.2.3 }`;
  const { config, where } = load(withAddons(text));
  expect(config.addons.all.map(({ name, path }) => `${name} ${where(path)?.line}`)).toEqual([
    "cert-manager 15",
    "manifests-1 17",
    "manifests-2 18",
    "own 20",
  ]);
});

test("warns about a chart repository without TLS", () => {
  const { warnings } = load(withCilium("addons: { cilium: { repository: http://charts.home } }"));
  expect(warnings.map(({ message }) => message)).toEqual([
    "addons.cilium.repository is reached without TLS, so the chart could be changed in transit",
  ]);
});

test("a configured schematic is used unchanged", () => {
  const schematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  const { image } =
    load(changed({ "proxmox:\n": `image: { schematic: ${schematic}, extensions: [] }\nproxmox:\n` })).config.nodes[0] ??
    expect.fail();
  expect(image).toMatchObject({ schematic, extensions: [], kernelArgs: [] });
});

test("the config format is that of the Talos release by default", () => {
  expect(load(changed({ "v1.13.9": "v1.14.0" })).config.cluster.contract).toBe("v1.14");
  expect(load(changed({ "talos: v1.13.9": "talos: v1.14.0\n  contract: v1.12" })).config.cluster.contract).toBe("v1.12");
  expect(load(changed({ "v1.13.9": "v1.12.7" })).config.cluster.contract).toBe("v1.12");
});
