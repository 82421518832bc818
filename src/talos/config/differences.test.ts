import type { Json } from "@talosmith/lib/json.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Field } from "../../engine/step.ts";
import { baseConfig } from "./base-config.ts";
import { configDifferences } from "./differences.ts";
import { MachineConfig } from "./machine-config.ts";
import { printConfig } from "./print.ts";
import { testBundle } from "./testing/test-bundle.ts";

const differences = (wanted: string, actual: string) => configDifferences(MachineConfig.read(wanted), MachineConfig.read(actual));
const same = (one: string, other: string) => expect([...differences(one, other), ...differences(other, one)]).toEqual([]);

describe("no difference", () => {
  test("in the order of keys and documents, comments and quotes", () => {
    same(
      "machine: { type: worker, kubelet: { image: k } }\n---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: 'off'\n",
      "# talosctl writes comments\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n---\nmachine:\n  kubelet: { 'image': \"k\" }\n  type: worker\n",
    );
  });

  // Talos' encoder leaves these out when it writes a config anew, as `talosctl edit` does.
  test("in what is empty and means nothing", () => {
    same(
      "machine: { certSANs: [], ca: { crt: a, key: '' }, network: {}, registries: { mirrors: {} }, nodeLabels: {}, time: null }\ncluster: { extraManifests: [] }",
      "machine: { ca: { crt: a } }\ncluster: {}",
    );
  });

  // In documents of Talos 1.14, some of which talosctl writes and a node's own encoder does not.
  test("in what is empty and means nothing in a document", () => {
    const document = (kind: string, rest: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${rest}\n`;
    const empties: [string, string][] = [
      ["KubeNodeConfig", "nodeIP: {}\nlabels: {}"],
      ["KubeletConfig", "config: {}\nextraArgs: {}\nclusterDNS: []"],
      ["KubeSchedulerConfig", "config: {}\nresources: { requests: {} }"],
      ["KubeProxyConfig", "config: {}\nmode: ''"],
      ["ResolverConfig", "nameservers: []\nsearchDomains: {}\nhostDNS: {}"],
      ["UnattendedInstallConfig", "installer: {}"],
      ["VolumeConfig", "name: EPHEMERAL\nmount: {}\nprovisioning: { diskSelector: {} }"],
    ];
    for (const [kind, rest] of empties)
      same(document(kind, rest), document(kind, rest.includes("name:") ? "name: EPHEMERAL" : ""));
  });

  test("between two configs of the same bytes, whatever these are", () => {
    same("machine: { broken", "machine: { broken");
  });

  test("between a number and the same number in quotes", () => {
    same(
      "machine: { sysctls: { a: 1 }, features: { kubePrism: { port: 7445 } } }",
      "machine: { sysctls: { a: '1' }, features: { kubePrism: { port: '7445' } } }",
    );
  });
});

describe("a difference", () => {
  test("is named by the path a person would write", () => {
    expect(differences("machine: { kubelet: { image: b } }", "machine: { kubelet: { image: a } }")).toEqual([
      { path: "machine.kubelet.image", from: "a", to: "b" },
    ]);
  });

  test("in another document begins with its kind and name", () => {
    const link = (address: string) => `apiVersion: v1alpha1\nkind: LinkConfig\nname: net0\naddresses: [{ address: ${address} }]`;
    expect(differences(link("10.0.0.2/24"), link("10.0.0.1/24"))).toEqual([
      { path: "LinkConfig net0 addresses[0].address", from: "10.0.0.1/24", to: "10.0.0.2/24" },
    ]);
  });

  test("is every field of a document that is missing, and the document itself when it has none", () => {
    const wanted =
      "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: net1\n";
    expect(differences(wanted, "")).toEqual([
      { path: "HostnameConfig hostname", from: null, to: "a" },
      { path: "LinkConfig net1", from: null, to: "present" },
    ]);
  });

  test("is an element more or less, at its place", () => {
    expect(differences("machine: { certSANs: [a, b] }", "machine: { certSANs: [a] }")).toEqual([
      { path: "machine.certSANs[1]", from: null, to: "b" },
    ]);
  });

  test("is an empty label, and an empty key of an encrypted disk: they do say something", () => {
    expect(differences("machine: { nodeLabels: { a: '' } }", "machine: {}")).toEqual([
      { path: "machine.nodeLabels.a", from: null, to: "" },
    ]);
    const volume = (keys: string) =>
      `apiVersion: v1alpha1\nkind: VolumeConfig\nname: STATE\nencryption: { provider: luks2, keys: [${keys}] }`;
    expect(differences(volume("{ slot: 0, nodeID: {} }"), volume("{ slot: 0 }"))).toEqual([
      { path: "VolumeConfig STATE encryption.keys[0].nodeID", from: null, to: {} },
    ]);
  });

  test("is the audit policy's empty list: Talos hands it on as it is", () => {
    const policy = (rules: string) => `cluster: { apiServer: { auditPolicy: { kind: Policy${rules} } } }`;
    expect(differences(policy(", rules: []"), policy(""))).toEqual([
      { path: "cluster.apiServer.auditPolicy.rules", from: null, to: [] },
    ]);
  });
});

test("a part against something of another shape is taken apart, so that no secret in it is shown", () => {
  const fields = differences("machine: { ca: { key: newsecret, crt: a } }", "machine: { ca: [{ token: oldsecret }] }");
  expect(fields).toEqual([
    { path: "machine.ca[0].token", from: null, to: null, secret: true },
    { path: "machine.ca.key", from: null, to: null, secret: true },
    { path: "machine.ca.crt", from: null, to: "a" },
  ]);
});

test("whatever two configs hold, a difference never shows what is in a secret place", () => {
  const value: fc.Memo<Json> = fc.memo((depth) =>
    depth < 2
      ? fc.constantFrom<Json>("SECRET", "", null, 0, {}, [])
      : fc.oneof(
          fc.constant("SECRET"),
          fc.array(value(depth - 1)),
          fc.dictionary(fc.constantFrom("token", "key"), value(depth - 1)),
        ),
  );
  const config = fc.record({
    machine: fc.oneof(fc.record({ ca: fc.record({ key: value(3) }) }), fc.constantFrom<Json>({}, [], null, "x")),
  });
  fc.assert(
    fc.property(config, config, (one, other) => {
      expect(JSON.stringify(differences(JSON.stringify(one), JSON.stringify(other)))).not.toContain("SECRET");
    }),
  );
});

test("two configs differ in nothing when they are the same, and in the same places whichever comes first", () => {
  const value: fc.Memo<Json> = fc.memo((depth) =>
    depth < 2
      ? fc.constantFrom<Json>("a", "1", 1, "", null, 0, true, {}, [])
      : fc.oneof(
          fc.constantFrom<Json>("b", 2),
          fc.array(value(depth - 1), { maxLength: 3 }),
          fc.dictionary(fc.constantFrom("a", "b", "sysctls"), value(depth - 1)),
        ),
  );
  const config = fc.record({ machine: fc.dictionary(fc.constantFrom("kubelet", "nodeLabels", "network"), value(4)) });
  fc.assert(
    fc.property(config, config, (one, other) => {
      const [left, right] = [`# one\n${JSON.stringify(one)}`, JSON.stringify(other)];
      expect(differences(left, JSON.stringify(one))).toEqual([]);
      const paths = (fields: Field[]) => fields.map(({ path }) => path).sort();
      expect(paths(differences(left, right))).toEqual(paths(differences(right, left)));
    }),
  );
});

test.each([
  "machine: { token: VALUE }",
  "machine: { ca: { crt: a, key: VALUE } }",
  "cluster: { secret: VALUE }",
  "cluster: { secretboxEncryptionSecret: VALUE }",
  "cluster: { aescbcEncryptionSecret: VALUE }",
  "cluster: { serviceAccount: { key: VALUE } }",
  "cluster: { etcd: { ca: { key: VALUE } } }",
  "cluster: { inlineManifests: [{ name: a, contents: VALUE }] }",
  "cluster: { extraManifestHeaders: { Authorization: VALUE } }",
  "machine: { files: [{ path: /a, content: VALUE }] }",
  "machine: { env: { https_proxy: VALUE } }",
  "machine: { registries: { config: { a: { auth: { username: VALUE } } } } }",
  "machine: { systemDiskEncryption: { state: { keys: [{ static: { passphrase: VALUE } }] } } }",
  "apiVersion: v1alpha1\nkind: WireguardConfig\nname: wg0\nprivateKey: VALUE",
  "apiVersion: v1alpha1\nkind: RegistryAuthConfig\nname: a\npassword: VALUE",
  "apiVersion: v1alpha1\nkind: RegistryAuthConfig\nname: a\nidentityToken: VALUE",
  "apiVersion: v1alpha1\nkind: SideroLinkConfig\napiUrl: VALUE",
  "apiVersion: v1alpha1\nkind: ExtensionServiceConfig\nname: tailscale\nenvironment: [VALUE]",
  "apiVersion: v1alpha1\nkind: HCloudVIPConfig\nname: 1.2.3.4\napiToken: VALUE",
  // Talos 1.13 and 1.14
  "apiVersion: v1alpha1\nkind: EnvironmentConfig\nvariables: { https_proxy: VALUE }",
  "apiVersion: v1alpha1\nkind: DiscoveryIdentityConfig\nclusterID: a\nclusterSecret: VALUE",
  "apiVersion: v1alpha1\nkind: KubeAPIServerCAConfig\nissuingCA: { cert: a, key: VALUE }",
  "apiVersion: v1alpha1\nkind: KubeAggregatorCAConfig\nissuingCA: { key: VALUE }",
  "apiVersion: v1alpha1\nkind: KubeServiceAccountConfig\nissuer: { privateKey: VALUE }",
  "apiVersion: v1alpha1\nkind: KubeEtcdEncryptionConfig\nconfig: { resources: [{ providers: [{ secretbox: { keys: [{ name: key2, secret: VALUE }] } }] }] }",
  "apiVersion: v1alpha1\nkind: KubeInlineManifestConfig\nname: a\nmanifest: VALUE",
  "apiVersion: v1alpha1\nkind: KubeExternalManifestConfig\nname: a\nheaders: { Authorization: VALUE }",
  "apiVersion: v1alpha1\nkind: KubeCredentialProviderConfig\nconfiguration: { providers: [{ args: [VALUE] }] }",
  "apiVersion: v1alpha1\nkind: KubeStaticPodConfig\nname: a\npod: { spec: { containers: [{ args: [VALUE] }] } }",
  "apiVersion: v1alpha1\nkind: EtcFileConfig\nname: a\ncontents: VALUE",
  "apiVersion: v1alpha1\nkind: RegistryTLSConfig\nname: a\nclientIdentity: { cert: a, key: VALUE }",
  "apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: a\nencryption: { keys: [{ slot: 0, static: { passphrase: VALUE } }] }",
  "apiVersion: v1alpha1\nkind: WireguardConfig\nname: wg0\npeers: [{ publicKey: a, presharedKey: VALUE }]",
])("a secret is only said to differ: %s", (config) => {
  const fields = differences(config.replace("VALUE", "newsecret"), config.replace("VALUE", "oldsecret"));
  expect(fields).toEqual([{ path: expect.any(String), from: null, to: null, secret: true }]);
  expect(JSON.stringify(differences(config.replace("VALUE", "newsecret"), ""))).not.toContain("newsecret");
});

test.each(["v1.12", "v1.13", "v1.14"])("nothing secret of a whole base config of contract %s is ever shown", (contract) => {
  const { input } = testBundle();
  const text = printConfig(baseConfig({ ...input, contract }, "controlplane"));
  const shown = JSON.stringify([...differences(text, ""), ...differences("", text)]);
  const { cluster, secrets, trustdInfo, certs } = input.secrets;
  const all = [cluster.secret, secrets.bootstrapToken, secrets.encryption.value, trustdInfo.token];
  for (const secret of [...all, ...Object.values(certs).map(({ key }) => key)]) {
    const value = secret.reveal().trim();
    expect(shown).not.toContain(value);
    expect(shown).not.toContain(Buffer.from(secret.reveal()).toString("base64"));
  }
});

test("certificates are no secrets", () => {
  const config = (cert: string) => `apiVersion: v1alpha1\nkind: KubeAPIServerCAConfig\nacceptedCAs: [${cert}]`;
  expect(differences(config("b"), config("a"))).toEqual([{ path: "KubeAPIServerCAConfig acceptedCAs[0]", from: "a", to: "b" }]);
});
