import { stringify } from "yaml";

/** A config that some Talos version finds invalid, and the mode in which a node validates it. */
export interface WrongConfig {
  name: string;
  mode: "metal" | "cloud" | "installed";
  text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: cases change any part of it.
type Main = Record<string, any>;

const SECRET = Buffer.alloc(32, 7).toString("base64");
const PAIR = { crt: "eA==", key: "eA==" };

/** A minimal document that every release accepts. */
function main(role: "controlplane" | "worker"): Main {
  const withKey = role === "controlplane";
  const ca = withKey ? PAIR : { crt: "eA==" };
  return {
    version: "v1alpha1",
    machine: { type: role, token: "abcdef.0123456789abcdef", ca, install: { disk: "/dev/sda" } },
    cluster: {
      id: "test",
      secret: SECRET,
      controlPlane: { endpoint: "https://10.10.0.5:6443" },
      clusterName: "test",
      token: "fedcba.fedcba9876543210",
      ca,
      ...(withKey && { etcd: { ca: PAIR }, secretboxEncryptionSecret: SECRET }),
    },
  };
}

function texts(documents: readonly object[]): string {
  return documents.map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
}

const document = (kind: string, fields: object = {}) => ({ apiVersion: "v1alpha1", kind, ...fields });

/** A complete config with one change. */
function changed(
  name: string,
  change: (main: Main) => void,
  more: readonly object[] = [],
  role: "controlplane" | "worker" = "controlplane",
): WrongConfig {
  const whole = main(role);
  change(whole);
  return { name, mode: "metal", text: texts([whole, ...more]) };
}

const worker = (name: string, change: (main: Main) => void, more: readonly object[] = []) =>
  changed(name, change, more, "worker");
const alone = (name: string, kind: string, fields: object = {}): WrongConfig => ({
  name,
  mode: "metal",
  text: texts([document(kind, fields)]),
});
const written = (name: string, text: string): WrongConfig => ({ name, mode: "metal", text });
const nothing = () => {};
const volume = (provisioning: object, more: object = {}) => ({ name: "data", provisioning, ...more });
const match = (text: string) => ({ diskSelector: { match: text } });

/** The name of each config describes its error. Names are keys of the recorded messages. */
export const wrongConfigs: readonly WrongConfig[] = [
  written("nothing at all", ""),
  written("a tab", "machine:\n\ttype: worker\n"),
  written("an indent that fits nothing", "machine:\n  type: worker\n token: x\n"),
  written("two keys on a line", "machine: type: worker\n"),
  written("a bracket that stays open", "machine: [a\n"),
  written("a quote that stays open", 'machine: "abc\n'),
  written("a list for a document", "- a\n- b\n"),
  written("no kind", "apiVersion: v1\nname: x\n"),
  written("no apiVersion", "kind: LinkConfig\nname: eth0\n"),
  alone("a kind nobody knows", "LinkConfigg", { name: "eth0" }),
  alone("a kind of 1.13", "KubeSpanConfig", { enabled: true }),
  alone("a kind of 1.14", "KubePrismConfig", { port: 0 }),
  written(
    "a document twice",
    "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\n",
  ),
  written("a key twice", "machine:\n  type: worker\n  type: controlplane\n"),
  written(
    "two kinds of link with a name",
    texts([document("LinkConfig", { name: "eth0" }), document("DummyLinkConfig", { name: "eth0" })]),
  ),
  changed("unknown keys", (it) => {
    it.machine.kubelet = { imagee: "x", image: "ghcr.io/siderolabs/kubelet:v1.35.0" };
    it.cluster.foo = { a: [1, "x"] };
  }),
  changed("words of the wrong type", (it) => {
    it.debug = "maybe";
    it.machine.certSANs = "10.0.0.1";
    it.machine.kubelet = "x";
    it.cluster.controlPlane.localAPIServerPort = "many";
  }),
  changed("a null in a list", (it) => {
    it.machine.acceptedCAs = [null];
  }),
  changed("a certificate that is no base64", (it) => {
    it.machine.ca = { crt: "***", key: "" };
  }),
  alone("an address without a prefix", "LinkConfig", { name: "eth0", addresses: [{ address: "10.0.0.1" }] }),
  alone("addresses and gateways that are none", "LinkConfig", {
    name: "eth0",
    addresses: [{ address: "10.0.0.256/24" }],
    routes: [{ gateway: "fe80::x" }, { destination: "10.0.0.0/33" }],
  }),
  changed("no machine", (it) => {
    delete it.machine;
    it.debug = true;
  }),
  changed("no cluster", (it) => {
    delete it.cluster;
  }),
  changed("a type of machine nobody knows", (it) => {
    it.machine.type = "boss";
  }),
  changed("no CA", (it) => {
    delete it.machine.ca;
  }),
  changed("no endpoint", (it) => {
    it.cluster.controlPlane = {};
  }),
  changed("an endpoint without a host", (it) => {
    it.cluster.controlPlane.endpoint = "https://";
  }),
  changed("a port out of range", (it) => {
    it.cluster.controlPlane.endpoint = "https://a:70000";
  }),
  changed("no install", (it) => {
    delete it.machine.install;
  }),
  changed("no disk to install to", (it) => {
    it.machine.install = { image: "x" };
  }),
  changed("kernel arguments that the UKI has", (it) => {
    it.machine.install = { disk: "/dev/sda", extraKernelArgs: ["x"], grubUseUKICmdline: true };
  }),
  changed("a selector no disk fits", (it) => {
    it.machine.install = { diskSelector: { size: ">= 1TB", model: "QEMU*" } };
  }),
  changed("a selector by name", (it) => {
    it.machine.install = { diskSelector: { name: "sda" } };
  }),
  changed("a CNI nobody knows", (it) => {
    it.cluster.network = { cni: { name: "cilium" } };
  }),
  changed("an old Kubernetes", (it) => {
    it.machine.kubelet = { image: "ghcr.io/siderolabs/kubelet:v1.28.0" };
    it.cluster.apiServer = { image: "registry.k8s.io/kube-apiserver:v1.99.0" };
  }),
  changed("labels, annotations and taints", (it) => {
    it.machine.nodeLabels = { "a/b/c": "x", ok: "not ok" };
    it.machine.nodeAnnotations = { "talos.dev/owned-labels": "x" };
    it.machine.nodeTaints = { dedicated: "gpu:Sometimes" };
  }),
  changed("devices", (it) => {
    it.machine.network = {
      interfaces: [
        { addresses: ["10.0.0.300"] },
        { interface: "bond0", bond: { interfaces: ["eth0"], mode: "best", upDelay: 5 } },
        { interface: "eth0", addresses: ["10.0.0.1/24"], routes: [{ gateway: "x" }] },
      ],
    };
  }),
  changed("a kubelet that is not ours to set up", (it) => {
    it.machine.kubelet = {
      image: "ghcr.io/siderolabs/kubelet:v1.35.0",
      extraConfig: { port: 1 },
      nodeIP: { validSubnets: ["x"] },
    };
  }),
  changed("KubeSpan without discovery", (it) => {
    it.machine.network = { kubespan: { enabled: true, mtu: 500 } };
  }),
  changed("DNS forwarded to nobody", (it) => {
    it.machine.features = { hostDNS: { enabled: false, forwardKubeDNSToHost: true } };
  }),
  changed("manifests without names", (it) => {
    it.cluster.inlineManifests = [{ name: "" }, { name: "a" }, { name: "a" }];
  }),
  changed("persist", (it) => {
    it.persist = false;
  }),
  worker("a worker with keys", (it) => {
    it.machine.ca = PAIR;
    it.cluster.ca = PAIR;
  }),
  worker("a worker with etcd", (it) => {
    it.cluster.etcd = { ca: PAIR };
  }),
  worker("a worker with a virtual address", (it) => {
    it.machine.network = { interfaces: [{ interface: "eth0", vip: { ip: "10.0.0.5" } }] };
  }),
  alone("a hostname that is two things", "HostnameConfig", { auto: "stable", hostname: "x" }),
  alone("a hostname that is nothing", "HostnameConfig"),
  changed(
    "a hostname in both forms",
    (it) => {
      it.machine.network = { hostname: "x" };
    },
    [document("HostnameConfig", { hostname: "y" })],
  ),
  changed(
    "nameservers in both forms",
    (it) => {
      it.machine.network = { nameservers: ["1.1.1.1"] };
    },
    [document("ResolverConfig", { nameservers: [{ address: "1.0.0.1" }] })],
  ),
  changed(
    "time in both forms",
    (it) => {
      it.machine.time = { servers: ["a"] };
    },
    [document("TimeSyncConfig", { ntp: { servers: ["b"] } })],
  ),
  alone("a virtual address that is none", "Layer2VIPConfig", { name: "vip", link: "" }),
  alone("a VLAN without a parent", "VLANConfig", { name: "eth0.5000", vlanID: 5000 }),
  alone("a bond of nothing", "BondConfig", { name: "bond0", bondMode: "802.3ad" }),
  alone("an alias without a selector", "LinkAliasConfig", { name: "net0" }),
  alone("an alias for what links do not have", "LinkAliasConfig", { name: "net0", selector: { match: "link.mac == 'x'" } }),
  alone("ports that meet", "NetworkRuleConfig", {
    name: "a",
    portSelector: { ports: ["80-90", 85], protocol: "tcp" },
    ingress: [],
  }),
  alone("ports that are none", "NetworkRuleConfig", {
    name: "a",
    portSelector: { ports: ["http"], protocol: "sctp" },
    ingress: [{ subnet: "x" }],
  }),
  alone("an action nobody knows", "NetworkDefaultActionConfig", { ingress: "deny" }),
  alone("a volume without a disk or a size", "UserVolumeConfig", { name: "my_data" }),
  alone(
    "a volume with a number of the wrong kind",
    "UserVolumeConfig",
    volume({ ...match("disk.size > 10 * GB"), minSize: "1GB" }),
  ),
  alone(
    "a volume for unknown disks",
    "UserVolumeConfig",
    volume({ ...match("disks.size > 10u"), minSize: "10GB", maxSize: "1GB" }),
  ),
  alone("a volume with half an expression", "RawVolumeConfig", volume({ ...match("disk.size >"), minSize: "1GB" })),
  alone(
    "encryption without keys",
    "UserVolumeConfig",
    volume({ ...match("!system_disk"), minSize: "1GB" }, { encryption: { provider: "luks2" } }),
  ),
  alone("a system volume nobody knows", "VolumeConfig", { name: "DATA" }),
  alone("a mirror elsewhere", "RegistryMirrorConfig", { name: "docker.io", endpoints: [{ url: "ftp://a" }] }),
  alone("a watchdog that is too quick", "WatchdogTimerConfig", { device: "/dev/watchdog0", timeout: "1s" }),
  alone("an OOM handler with expressions of the wrong kind", "OOMConfig", {
    triggerExpression: "memory_full_avg10 > 75",
    cgroupRankingExpression: "memory_current",
  }),
  alone("a WireGuard key that is too short", "WireguardConfig", { name: "wg0", privateKey: "c2hvcnQ=" }),
  alone("an extension without files", "ExtensionServiceConfig", { name: "tailscale" }),
  alone("a cluster without a name", "KubeClusterConfig", { endpoint: "https://a:6443" }),
  changed("a cluster in both forms", nothing, [document("KubeClusterConfig", { clusterName: "x", endpoint: "https://a:6443" })]),
  changed("an identity in both forms", nothing, [document("DiscoveryIdentityConfig", { clusterID: "x", clusterSecret: SECRET })]),
  changed("an install in both forms", nothing, [
    document("UnattendedInstallConfig", { installer: { image: "x" }, provisioning: match('disk.dev_path == "/dev/sda"') }),
  ]),
  changed("CAs in both forms", nothing, [document("KubeAPIServerCAConfig", { acceptedCAs: ["x"] })]),
  changed(
    "a kubelet in both forms",
    (it) => {
      it.machine.kubelet = { image: "ghcr.io/siderolabs/kubelet:v1.35.0" };
      it.machine.nodeLabels = { a: "b" };
    },
    [
      document("KubeletConfig", { image: "ghcr.io/siderolabs/kubelet:v1.35.0" }),
      document("KubeNodeConfig", { labels: { a: "b" } }),
    ],
  ),
  changed(
    "a network in both forms",
    (it) => {
      it.cluster.network = {};
    },
    [
      document("KubeNetworkConfig", { podSubnets: ["10.244.0.0/16"], serviceSubnets: ["10.96.0.0/12"] }),
      document("KubeFlannelCNIConfig", { backendType: "vxlan" }),
    ],
  ),
  worker("a worker with a control plane's documents", nothing, [
    document("KubeProxyConfig", { enabled: false }),
    document("KubeAuditPolicyConfig", { configuration: { kind: "Policy" } }),
  ]),
  changed("a control plane whose etcd is not encrypted", (it) => {
    delete it.cluster.secretboxEncryptionSecret;
  }),
  alone("subnets that overlap themselves", "KubeNetworkConfig", {
    podSubnets: ["10.244.0.1/16"],
    serviceSubnets: ["10.0.0.0/8", "fd00::/64"],
  }),
  alone("arguments that are Talos's", "KubeAPIServerConfig", {
    image: "registry.k8s.io/kube-apiserver:v1.36.0",
    extraArgs: { "oidc-client-id": "x" },
  }),
];
