import { Secret } from "@talosmith/lib/secret.ts";
import { describe, expect, test } from "vitest";
import type { RegistryConfig, Role } from "../../../config/config.ts";
import { baseConfig } from "../base-config.ts";
import type { ClusterInput } from "../cluster-input.ts";
import { testBundle } from "../testing/test-bundle.ts";

const { input } = testBundle();
const original = (contract: string, choice: Partial<ClusterInput>, role: Role = "controlplane") =>
  baseConfig({ ...input, contract, ...choice }, role)[0];
const documents = (contract: string, kind: string, choice: Partial<ClusterInput>, role: Role = "controlplane") =>
  baseConfig({ ...input, contract, ...choice }, role).filter((one) => one.kind === kind);
const document = (...of: Parameters<typeof documents>) => documents(...of)[0];

// docs/facts/kubernetes.md#cilium-on-talos
describe("cilium takes the place of flannel and of kube-proxy", () => {
  test("in the original format", () => {
    expect(original("v1.13", { cni: "cilium" })).toMatchObject({
      cluster: { network: { cni: { name: "none" } }, proxy: { disabled: true } },
    });
  });

  test("in documents", () => {
    expect(documents("v1.14", "KubeFlannelCNIConfig", { cni: "cilium" })).toEqual([]);
    expect(document("v1.14", "KubeProxyConfig", { cni: "cilium" })).toMatchObject({ enabled: false });
  });
});

test("no CNI keeps kube-proxy", () => {
  const { cluster } = original("v1.13", { cni: "none" }) as { cluster: { network: object; proxy: object } };
  expect(cluster.network).toMatchObject({ cni: { name: "none" } });
  expect(cluster.proxy).not.toHaveProperty("disabled");
  expect(documents("v1.14", "KubeFlannelCNIConfig", { cni: "none" })).toEqual([]);
  expect(document("v1.14", "KubeProxyConfig", { cni: "none" })).not.toHaveProperty("enabled");
});

test("flannel is Talos' default: not said in the original format, a document of its own later", () => {
  expect(original("v1.13", { cni: "flannel" })).not.toHaveProperty("cluster.network.cni");
  expect(documents("v1.14", "KubeFlannelCNIConfig", { cni: "flannel" })).toHaveLength(1);
});

test("control planes take workloads only when configured", () => {
  const taints = { "node-role.kubernetes.io/control-plane": "NoSchedule" };
  expect(original("v1.13", { scheduleOnControlPlanes: false })).not.toHaveProperty("cluster.allowSchedulingOnControlPlanes");
  expect(original("v1.13", { scheduleOnControlPlanes: true })).toHaveProperty("cluster.allowSchedulingOnControlPlanes", true);
  expect(document("v1.14", "KubeNodeConfig", { scheduleOnControlPlanes: false })).toMatchObject({ taints });
  expect(document("v1.14", "KubeNodeConfig", { scheduleOnControlPlanes: true })).not.toHaveProperty("taints");
});

test("more names are in the certificates of both APIs, and workers know only of their own", () => {
  const certSANs = ["k8s.example.org"];
  expect(original("v1.12", { certSANs })).toMatchObject({ machine: { certSANs }, cluster: { apiServer: { certSANs } } });
  expect(original("v1.14", { certSANs })).toMatchObject({ machine: { certSANs } });
  expect(document("v1.14", "KubeAPIServerConfig", { certSANs })).toMatchObject({ certExtraSANs: certSANs });
  expect(original("v1.14", { certSANs }, "worker")).toMatchObject({ machine: { certSANs } });
  expect(documents("v1.14", "KubeAPIServerConfig", { certSANs }, "worker")).toEqual([]);
});

test("subnets and the DNS domain are every node's", () => {
  const network = {
    podSubnets: ["10.1.0.0/16", "fd01::/56"],
    serviceSubnets: ["10.2.0.0/16", "fd02::/112"],
    dnsDomain: "k.local",
  };
  expect(original("v1.13", network, "worker")).toMatchObject({ cluster: { network } });
  expect(document("v1.14", "KubeNetworkConfig", network, "worker")).toMatchObject(network);
});

test("kubelets ask for their certificates, by an argument or in their config", () => {
  const choice = { kubeletCertificates: true };
  expect(original("v1.13", choice, "worker")).toHaveProperty(
    ["machine", "kubelet", "extraArgs", "rotate-server-certificates"],
    "true",
  );
  expect(document("v1.14", "KubeletConfig", choice, "worker")).toMatchObject({ config: { serverTLSBootstrap: true } });
});

// Talos refuses it on workers.
test("pods may call the Talos API of control planes", () => {
  const choice = { talosApiAccess: { roles: ["os:reader"], namespaces: ["backup"] } };
  const access = { allowedRoles: ["os:reader"], allowedKubernetesNamespaces: ["backup"] };
  expect(original("v1.13", choice)).toMatchObject({
    machine: { features: { kubernetesTalosAPIAccess: { enabled: true, ...access } } },
  });
  expect(original("v1.13", choice, "worker")).not.toHaveProperty("machine.features.kubernetesTalosAPIAccess");
  expect(document("v1.14", "KubeTalosAPIAccessConfig", choice)).toMatchObject(access);
  expect(documents("v1.14", "KubeTalosAPIAccessConfig", choice, "worker")).toEqual([]);
});

test.each(["v1.12", "v1.13", "v1.14"])(
  "an external cloud provider is said to all nodes in the original format of %s",
  (contract) => {
    for (const role of ["controlplane", "worker"] as const)
      expect(original(contract, { externalCloudProvider: true }, role)).toHaveProperty(
        "cluster.externalCloudProvider.enabled",
        true,
      );
  },
);

test("without discovery nodes keep their identity", () => {
  expect(original("v1.13", { discovery: false }, "worker")).toMatchObject({
    cluster: { id: input.secrets.cluster.id, discovery: { enabled: false } },
  });
  expect(documents("v1.14", "DiscoveryServiceConfig", { discovery: false })).toEqual([]);
  expect(document("v1.14", "DiscoveryIdentityConfig", { discovery: false })).toMatchObject({
    clusterID: input.secrets.cluster.id,
  });
});

// KubeSpanConfig exists from 1.13 (docs/facts/talos.md#documents).
test("KubeSpan has a document since Talos 1.13", () => {
  expect(original("v1.12", { kubespan: true })).toHaveProperty("machine.network.kubespan.enabled", true);
  expect(documents("v1.12", "KubeSpanConfig", { kubespan: true })).toEqual([]);
  for (const contract of ["v1.13", "v1.14"])
    expect(document(contract, "KubeSpanConfig", { kubespan: true }, "worker")).toMatchObject({ enabled: true });
});

test("KubeSpan does not announce the addresses of the administrators' WireGuard", () => {
  const choice = { kubespan: true, wireguard: { cidr: "10.99.0.0/24" } };
  const filters = { endpoints: ["0.0.0.0/0", "::/0", "!10.99.0.0/24"] };
  expect(original("v1.12", choice)).toMatchObject({ machine: { network: { kubespan: { enabled: true, filters } } } });
  expect(document("v1.13", "KubeSpanConfig", choice)).toMatchObject({ enabled: true, filters });
  expect(documents("v1.13", "KubeSpanConfig", { ...choice, kubespan: false })).toEqual([]);
});

test.each(["v1.12", "v1.13", "v1.14"])("time servers are a document of %s, which is absent without any", (contract) => {
  const network = { ...input.network, timeServers: ["10.0.0.1", "time.example.org"] };
  expect(document(contract, "TimeSyncConfig", { network })).toMatchObject({ ntp: { servers: network.timeServers } });
  expect(documents(contract, "TimeSyncConfig", {})).toEqual([]);
});

describe("a proxy", () => {
  const proxy = { https: "http://proxy.example.org:3128", except: ["example.org", "10.96.0.0/12"] };
  const network = { ...input.network, second: { cidr: "fd00::/64", prefix: 64 }, proxy };
  const variables = {
    https_proxy: "http://proxy.example.org:3128",
    // etcd and the kubelet get these variables too; entries are not duplicated.
    no_proxy: "example.org,10.96.0.0/12,10.10.0.0/24,fd00::/64,10.244.0.0/16,10.10.0.5,.cluster.local",
  };

  test("is in the environment, with everything of the cluster reached without it", () => {
    expect(original("v1.12", { network })).toMatchObject({ machine: { env: variables } });
  });

  test("is not in the way to nodes that are in none of the cluster's networks", () => {
    const nodes = [{ ip: "203.0.113.11", secondIp: "2001:db8::11" }, { ip: "10.10.0.12" }];
    const except = (of: ClusterInput["network"]) =>
      (document("v1.13", "EnvironmentConfig", { network: of, nodes }) as { variables?: { no_proxy?: string } }).variables
        ?.no_proxy;
    expect(except({ timeServers: [], proxy: { ...proxy, except: [] } })).toBe(
      "203.0.113.11,2001:db8::11,10.10.0.12,10.244.0.0/16,10.96.0.0/12,10.10.0.5,.cluster.local",
    );
    expect(except({ ...input.network, proxy: { ...proxy, except: [] } })).toContain(
      "10.10.0.0/24,203.0.113.11,2001:db8::11,10.244",
    );
  });

  test("is in a document since Talos 1.13", () => {
    for (const contract of ["v1.13", "v1.14"])
      expect(document(contract, "EnvironmentConfig", { network }, "worker")).toEqual({
        apiVersion: "v1alpha1",
        kind: "EnvironmentConfig",
        variables,
      });
    expect(original("v1.13", { network })).not.toHaveProperty("machine.env");
  });
});

describe("registries", () => {
  const registry = (host: string, more: Partial<RegistryConfig> = {}): RegistryConfig => ({
    host,
    mirrors: [],
    overridePath: false,
    skipFallback: false,
    insecure: false,
    ...more,
  });
  const of = (...registries: RegistryConfig[]) =>
    baseConfig({ ...input, contract: "v1.12", registries }, "worker")
      .filter(({ kind }) => String(kind).startsWith("Registry"))
      .map(({ apiVersion, ...rest }) => rest);

  // Sorted by kind, then by name (docs/facts/talos.md#generated-configuration).
  test("are sorted by kind and then by name", () => {
    const mirrors = ["https://mirror.example.org"];
    const found = of(
      registry("b", { mirrors, insecure: true, username: "u" }),
      registry("*", { mirrors }),
      registry("a", { mirrors }),
    );
    expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "RegistryAuthConfig b",
      "RegistryMirrorConfig *",
      "RegistryMirrorConfig a",
      "RegistryMirrorConfig b",
      "RegistryTLSConfig b",
    ]);
  });

  test("have mirrors with the whole path, and only these", () => {
    const mirrors = ["https://a/v2/proxy", "http://b"];
    expect(of(registry("docker.io", { mirrors, overridePath: true, skipFallback: true }))).toEqual([
      {
        kind: "RegistryMirrorConfig",
        name: "docker.io",
        endpoints: [
          { url: "https://a/v2/proxy", overridePath: true },
          { url: "http://b", overridePath: true },
        ],
        skipFallback: true,
      },
    ]);
  });

  test("have a login and an authority", () => {
    const found = of(registry("r:5000", { username: "u", password: new Secret("p"), ca: "PEM", insecure: true }));
    expect(found).toEqual([
      { kind: "RegistryAuthConfig", name: "r:5000", username: "u", password: "p" },
      { kind: "RegistryTLSConfig", name: "r:5000", ca: "PEM", insecureSkipVerify: true },
    ]);
  });

  test("of which nothing is said have no documents", () => {
    expect(of(registry("docker.io"))).toEqual([]);
  });
});

test("a disk is a path, a selector, or an expression since Talos 1.14", () => {
  const installDisk = { type: "nvme", size: ">= 100GB" } as const;
  expect(original("v1.13", { installDisk: "/dev/vda" })).toHaveProperty("machine.install.disk", "/dev/vda");
  const { machine } = original("v1.13", { installDisk }) as { machine: { install: object } };
  expect(machine.install).toMatchObject({ diskSelector: installDisk });
  expect(machine.install).not.toHaveProperty("disk");
  expect(document("v1.14", "UnattendedInstallConfig", { installDisk })).toMatchObject({
    provisioning: { diskSelector: { match: expect.stringContaining(`disk.transport == "nvme"`) }, wipe: false },
  });
});
