import { afterEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { TalosBench } from "./testing/bench.ts";
import type { Authority, TestCluster } from "./testing/configs.ts";

let bench: TalosBench;
afterEach(() => bench?.close());

const SECRETBOX = Buffer.alloc(32, 9).toString("base64");
const CONTROL_PLANE = "node-role.kubernetes.io/control-plane";

const keyOf = ({ key }: Authority) => key.export({ type: "pkcs8", format: "pem" }).toString();
const pairOf = (authority: Authority) => ({ cert: authority.certificate, key: keyOf(authority) });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const oldPair = (authority: Authority) => ({ crt: base64(authority.certificate), key: base64(keyOf(authority)) });

/**
 * The config of a control plane as talosctl 1.14 generates it: a small main document, and one for each subject
 * (docs/facts/talos.md#documents-of-114).
 */
function documents(cluster: TestCluster, taints: Record<string, string> = {}): object[] {
  const document = (kind: string, fields: object) => ({ apiVersion: "v1alpha1", kind, ...fields });
  const image = (name: string) => ({ image: `registry.k8s.io/${name}:v1.37.0` });
  return [
    {
      version: "v1alpha1",
      machine: { type: "controlplane", token: "abcdef.0123456789abcdef", ca: oldPair(cluster.os), certSANs: [] },
      cluster: { token: "fedcba.fedcba9876543210", etcd: { ca: oldPair(cluster.etcd) } },
    },
    document("DiscoveryServiceConfig", { name: "default", endpoint: "https://discovery.talos.dev/" }),
    document("DiscoveryIdentityConfig", { clusterID: cluster.id, clusterSecret: cluster.secret }),
    document("HostnameConfig", { hostname: "cp-11" }),
    document("KubeClusterConfig", { clusterName: cluster.name, endpoint: cluster.endpoint }),
    document("KubeNodeConfig", { labels: { [CONTROL_PLANE]: "", tier: "core" }, annotations: { note: "a" }, taints }),
    document("KubeletConfig", { image: "ghcr.io/siderolabs/kubelet:v1.37.0" }),
    document("KubeNetworkConfig", { dnsDomain: "lab.local", podSubnets: ["10.42.0.0/16"], serviceSubnets: ["10.43.0.0/16"] }),
    document("KubeAPIServerCAConfig", { issuingCA: pairOf(cluster.kubernetes) }),
    document("KubeAggregatorCAConfig", { issuingCA: pairOf(cluster.aggregator) }),
    document("KubeServiceAccountConfig", {
      issuer: {
        privateKey: cluster.serviceAccount.export({ type: "pkcs1", format: "pem" }).toString(),
        issuerURL: cluster.endpoint,
      },
    }),
    document("KubeEtcdEncryptionConfig", {
      config: {
        kind: "EncryptionConfiguration",
        resources: [{ providers: [{ secretbox: { keys: [{ name: "key2", secret: SECRETBOX }] } }] }],
      },
    }),
    document("KubeAPIServerConfig", { ...image("kube-apiserver"), certExtraSANs: ["api.lab"] }),
    document("KubeControllerManagerConfig", image("kube-controller-manager")),
    document("KubeSchedulerConfig", image("kube-scheduler")),
    document("KubeProxyConfig", { enabled: false }),
    document("KubeCoreDNSConfig", { enabled: false }),
    document("KubeAdmissionControlConfig", {
      name: "PodSecurity",
      configuration: { defaults: { enforce: "baseline" }, exemptions: { namespaces: ["kube-system"] } },
    }),
    document("KubeInlineManifestConfig", { name: "note", manifest: "kind: ConfigMap\n" }),
  ];
}

const text = (all: readonly object[]) => all.map((one) => stringify(one, { lineWidth: 0 })).join("---\n");

test("a 1.14 machine uses the settings of its documents", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const address = await bench.machine(101, 11, { version: "v1.14.1" });
  await bench.apply(address, text(documents(cluster, { [CONTROL_PLANE]: "NoSchedule" })));
  const client = bench.client(address, cluster.client());
  await bench.bootstrap(client);
  expect(bench.nodes()[0]).toMatchObject({
    cluster: cluster.id,
    clusterName: "test",
    name: "cp-11",
    kubelet: { version: "v1.37.0", labels: { tier: "core" }, annotations: { note: "a" } },
    controlPlane: {
      endpoint: cluster.endpoint,
      ca: { certificate: cluster.kubernetes.certificate },
      aggregatorCa: { certificate: cluster.aggregator.certificate },
      certSans: ["api.lab"],
      kubernetes: "v1.37.0",
      bootstrapToken: "fedcba.fedcba9876543210",
      podSubnets: ["10.42.0.0/16"],
      serviceSubnets: ["10.43.0.0/16"],
      dnsDomain: "lab.local",
      cni: "none",
      proxy: false,
      coreDns: false,
      schedulable: false,
      podSecurity: { enforce: "baseline", exemptNamespaces: ["kube-system"] },
      inlineManifests: [{ name: "note", contents: "kind: ConfigMap\n" }],
    },
  });
});

test("pods may run on a control plane whose KubeNodeConfig lacks the taint, and which has a document for Flannel", async () => {
  bench = await TalosBench.open();
  const cluster = bench.cluster();
  const address = await bench.machine(101, 11, { version: "v1.14.1" });
  const flannel = { apiVersion: "v1alpha1", kind: "KubeFlannelCNIConfig", backendType: "vxlan" };
  await bench.apply(address, text([...documents(cluster), flannel]));
  await bench.eventually(() => expect(bench.nodes()[0]?.controlPlane).toMatchObject({ schedulable: true, cni: "flannel" }));
});
