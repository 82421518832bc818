import { expect, test } from "vitest";
import type { Addon } from "./addon.ts";
import { type CiliumOptions, cilium } from "./cilium.ts";
import { FACTS, objectsIn, releaseIn } from "./testing/sample.ts";

const make = (options: CiliumOptions, facts = {}): Addon => cilium.make(options, { ...FACTS, ...facts });
const valuesOf = (options: CiliumOptions, facts = {}) => releaseIn(make(options, facts)).values;

// docs/facts/kubernetes.md#cilium-on-talos; the real chart is rendered with these values in test/conformance/charts.
test("Cilium has the values that Talos needs, and replaces kube-proxy", () => {
  expect(valuesOf({})).toEqual({
    ipam: { mode: "kubernetes" },
    kubeProxyReplacement: true,
    k8sServiceHost: "localhost",
    k8sServicePort: 7445,
    securityContext: {
      capabilities: {
        ciliumAgent: "CHOWN,KILL,NET_ADMIN,NET_RAW,IPC_LOCK,SYS_ADMIN,SYS_RESOURCE,DAC_OVERRIDE,FOWNER,SETGID,SETUID".split(","),
        cleanCiliumState: ["NET_ADMIN", "SYS_ADMIN", "SYS_RESOURCE"],
      },
    },
    cgroup: { autoMount: { enabled: false }, hostRoot: "/sys/fs/cgroup" },
    operator: { replicas: 2 },
  });
});

test("on one node there is one operator", () => {
  expect(valuesOf({}, { controlPlanes: 1, workers: 0 })).toMatchObject({ operator: { replicas: 1 } });
});

test("addresses of the pods decide which of IPv4 and IPv6 there is", () => {
  expect(valuesOf({}, { podSubnets: ["10.244.0.0/16", "fd00::/56"] })).toMatchObject({ ipv6: { enabled: true } });
  const onlySix = valuesOf({}, { podSubnets: ["fd00::/56"] });
  expect(onlySix).toMatchObject({ ipv4: { enabled: false }, ipv6: { enabled: true } });
});

test("a part that is not asked for is not there", () => {
  expect(make({}).parts.map(({ kind }) => kind)).toEqual(["release"]);
});

test("the kinds of Gateway API come before the chart, in the version this Cilium was tested with", () => {
  const urls = (options: CiliumOptions) =>
    make({ gatewayApi: true, ...options }).parts.flatMap((part) => (part.kind === "download" ? part.url : []));
  const released = (version: string) => [
    `https://github.com/kubernetes-sigs/gateway-api/releases/download/${version}/standard-install.yaml`,
  ];
  expect(make({ gatewayApi: true }).parts.map(({ kind }) => kind)).toEqual(["download", "release"]);
  // Documentation/conf.py at v1.20.1; Documentation/network/servicemesh/gateway-api/installation.rst at v1.19.7, v1.18.11 and v1.17.3.
  expect(urls({})).toEqual(released("v1.6.1"));
  expect(urls({ version: "1.19.7" })).toEqual(released("v1.4.1"));
  expect(urls({ version: "1.18.11" })).toEqual(released("v1.3.0"));
  expect(urls({ version: "1.17.3" })).toEqual(released("v1.2.0"));
  expect(urls({ gatewayApi: { version: "v1.5.0" } })).toEqual(released("v1.5.0"));
});

// Cilium's pages on LB IPAM and L2 announcements at v1.20.2.
test("addresses for services are a pool, announced by who has the right card", () => {
  const loadBalancer = {
    addresses: ["10.0.0.240-10.0.0.250", "10.0.1.0/28", "fd00::9"],
    announce: "l2",
    interfaces: ["^eth0$"],
  } as const;
  const addon = make({ loadBalancer });
  expect(addon.parts.map(({ kind }) => kind)).toEqual(["release", "objects"]);
  expect(releaseIn(addon).values).toMatchObject({ l2announcements: { enabled: true } });
  expect(objectsIn(addon, "addresses")).toEqual([
    {
      apiVersion: "cilium.io/v2",
      kind: "CiliumLoadBalancerIPPool",
      metadata: { name: "default" },
      spec: {
        blocks: [{ start: "10.0.0.240", stop: "10.0.0.250" }, { cidr: "10.0.1.0/28" }, { start: "fd00::9", stop: "fd00::9" }],
      },
    },
    {
      apiVersion: "cilium.io/v2alpha1",
      kind: "CiliumL2AnnouncementPolicy",
      metadata: { name: "default" },
      spec: { loadBalancerIPs: true, interfaces: ["^eth0$"] },
    },
  ]);
});

test("with BGP, only routers learn the addresses of services", () => {
  const bgp = { asn: 65010, peers: [{ address: "10.0.0.1", asn: 65000 }] };
  const addon = make({ loadBalancer: { addresses: ["10.0.1.0/28"], announce: "bgp" }, bgp });
  expect(releaseIn(addon).values).toMatchObject({ bgpControlPlane: { enabled: true } });
  expect(releaseIn(addon).values).not.toHaveProperty("l2announcements");
  const [, cluster, peer, advertisement] = objectsIn(addon, "addresses");
  expect(cluster?.spec).toEqual({
    bgpInstances: [
      {
        name: "instance-65010",
        localASN: 65010,
        peers: [{ name: "peer-10-0-0-1", peerASN: 65000, peerAddress: "10.0.0.1", peerConfigRef: { name: "default" } }],
      },
    ],
  });
  expect(peer?.spec).toMatchObject({
    families: [{ afi: "ipv4", advertisements: { matchLabels: advertisement?.metadata.labels } }, { afi: "ipv6" }],
  });
});

// Kinds of Cilium v1.17.3 against v1.18.0: pkg/k8s/apis/cilium.io/client/crds.
test("before 1.18 pools and BGP are spoken to in the words of their trial", () => {
  const loadBalancer = { addresses: ["10.0.1.0/28"], announce: "none" } as const;
  const versionsWith = (version: string) =>
    objectsIn(make({ version, loadBalancer }), "addresses").map(({ apiVersion }) => apiVersion);
  expect(versionsWith("1.17.3")).toEqual(["cilium.io/v2alpha1"]);
  expect(versionsWith("1.18.0")).toEqual(["cilium.io/v2"]);
});
