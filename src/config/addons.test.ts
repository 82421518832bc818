import { expect, test } from "vitest";
import { changed, load } from "./testing/config-in-memory.ts";

const withCilium = (addons = "") =>
  changed({ "talos: v1.13.9": "talos: v1.13.9\n  cni: cilium", "nodes:": `${addons}${addons === "" ? "" : "\n"}nodes:` });
const addonsOf = (config: string) => load(config).config.addons;

test("without cilium as pod network nothing is installed", () => {
  expect(addonsOf(changed({}))).toEqual({ helmImage: "docker.io/alpine/helm:3.18.6" });
});

test("cilium comes in a known release from its own repository", () => {
  expect(addonsOf(withCilium()).cilium).toEqual({ version: "1.20.1", repository: "https://helm.cilium.io", values: {} });
});

test("version, repository and values can be said, and helm's image", () => {
  const addons = `addons:
  helmImage: registry.home:5000/helm:v3@sha256:${"ab".repeat(32)}
  cilium:
    version: "1.17.3"
    repository: oci://registry.home/charts/
    values: { hubble: { relay: { enabled: true } }, list: [1, 2.5, null, "x"] }`;
  expect(addonsOf(withCilium(addons))).toEqual({
    helmImage: `registry.home:5000/helm:v3@sha256:${"ab".repeat(32)}`,
    cilium: {
      version: "1.17.3",
      repository: "oci://registry.home/charts",
      values: { hubble: { relay: { enabled: true } }, list: [1, 2.5, null, "x"] },
    },
  });
});

test("values may hold references like anything else", () => {
  const config = withCilium(`addons: { cilium: { values: { cluster: { name: "\${env:NAME}" } } } }`);
  const { addons } = load(config, { env: { PROXMOX_TOKEN: "a@pve!b=0b5c3f6e-8a21-4d7f-9c1e-2f4a6b8c0d1e", NAME: "x" } }).config;
  expect(addons.cilium?.values).toEqual({ cluster: { name: "x" } });
});

test("a chart that comes without TLS is warned about", () => {
  const { warnings } = load(withCilium("addons: { cilium: { repository: http://charts.home } }"));
  expect(warnings.map(({ message }) => message)).toEqual([
    "addons.cilium.repository is reached without TLS, so the chart could be changed on its way",
  ]);
});

test("a schematic made elsewhere is taken as it is", () => {
  const schematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  const { image } =
    load(changed({ "proxmox:\n": `image: { schematic: ${schematic}, extensions: [] }\nproxmox:\n` })).config.nodes[0] ??
    expect.fail();
  expect(image).toMatchObject({ schematic, extensions: [], kernelArgs: [] });
});

test("each line of Talos is written its own format, unless told otherwise", () => {
  expect(load(changed({ "v1.13.9": "v1.14.0" })).config.cluster.contract).toBe("v1.14");
  expect(load(changed({ "talos: v1.13.9": "talos: v1.14.0\n  contract: v1.12" })).config.cluster.contract).toBe("v1.12");
  expect(load(changed({ "v1.13.9": "v1.12.7" })).config.cluster.contract).toBe("v1.12");
});
