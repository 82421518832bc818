import { baseConfig } from "../../../src/talos/config/base-config.ts";
import { kindsOf } from "../../../src/talos/config/fields/field.ts";
import { MINORS, type Minor, minorOf, ORIGINAL } from "../../../src/talos/config/fields/kinds.ts";
import { mergeDocuments } from "../../../src/talos/config/merge.ts";
import { parseConfig } from "../../../src/talos/config/parse.ts";
import { printConfig } from "../../../src/talos/config/print.ts";
import { testBundle } from "../../../src/talos/config/testing/test-bundle.ts";
import { randomConfig, randomPatch } from "./random-merges.ts";

/** What Talos is asked: it must make the same of the patch, or refuse it, too. */
interface MergeCase {
  readonly name: string;
  readonly base: string;
  readonly patch: string;
  readonly ours?: string;
  readonly refused?: string;
}

const PER_KIND = process.env.FULL === undefined ? 4 : 10;
const PER_BASE_KIND = process.env.FULL === undefined ? 2 : 4;

/** The table below, for each kind that this Talos knows some configs and patches by chance, and patches of our base configs. */
export function mergeCases(talosVersion: string): MergeCase[] {
  const minor = minorOf(talosVersion);
  const base = { "1.12": BASE.replace("[A=true, B=true]", "A=true"), "1.13": BASE, "1.14": BASE + BASE_114 }[minor];
  const table = Object.entries({ ...PATCHES, ...(minor === "1.14" ? PATCHES_114 : PATCHES_BEFORE_114) });
  const random = kindsOf(minor).flatMap((kind, at) =>
    Array.from({ length: PER_KIND }, (_, which) => randomCase(minor, kind, at * PER_KIND + which)),
  );
  return [...table.map(([name, patch]) => merged(name, base, patch, minor)), ...random, ...ofBaseConfigs(minor)];
}

function ofBaseConfigs(minor: Minor): MergeCase[] {
  const contracts = MINORS.slice(0, MINORS.indexOf(minor) + 1).map((one) => `v${one}`);
  const bases = contracts.flatMap((contract) =>
    (["controlplane", "worker"] as const).map((role) => baseConfig({ ...testBundle().input, contract }, role)),
  );
  return bases.flatMap((base, which) =>
    [...new Set(base.map(({ kind }) => String(kind ?? ORIGINAL)))].flatMap((kind, at) =>
      Array.from({ length: PER_BASE_KIND }, (_, more) => {
        const patch = randomPatch(minor, kind, 100_000 + 1000 * which + 10 * at + more, base);
        return merged(`base config ${which} ${kind} ${more}`, printConfig(base), printConfig(patch), minor);
      }),
    ),
  );
}

function randomCase(minor: Minor, kind: string, seed: number): MergeCase {
  const [base, patch] = [randomConfig(minor, kind, 2 * seed), randomPatch(minor, kind, 2 * seed + 1)];
  return merged(`random ${kind} ${seed}`, printConfig(base), printConfig(patch), minor);
}

function merged(name: string, base: string, patch: string, minor: Minor): MergeCase {
  try {
    return { name, base, patch, ours: printConfig(mergeDocuments(parseConfig(base), parseConfig(patch), minor)) };
  } catch (error) {
    return { name, base, patch, refused: error instanceof Error ? error.message : String(error) };
  }
}

/** A config and patches that go through every rule of Talos's strategic merge once. */
const BASE = `version: v1alpha1
debug: true
machine:
  type: controlplane
  certSANs: [a.example.org]
  ca: { crt: Y2VydGlmaWNhdGU=, key: a2V5 }
  kubelet:
    image: ghcr.io/siderolabs/kubelet:v1.36.3
    extraArgs: { v: "2", feature-gates: [A=true, B=true] }
    extraConfig: { maxPods: 110, evictionHard: { memory.available: 100Mi }, allowedUnsafeSysctls: [net.ipv4.a] }
    nodeIP: { validSubnets: [10.0.0.0/24] }
  network:
    nameservers: [10.0.0.1]
    kubespan: { enabled: true, mtu: 1420 }
    interfaces:
      - { interface: eth0, dhcp: true, mtu: 1500, addresses: [10.0.0.2/24], vlans: [{ vlanId: 5, mtu: 1400, addresses: [10.5.0.2/24] }] }
      - { deviceSelector: { driver: virtio }, dhcp: true }
  install: { disk: /dev/sda, image: example.org/installer:v1, wipe: true }
  sysctls: { net.core.somaxconn: "65535", vm.swappiness: "60" }
  nodeLabels: { a: "1", b: "" }
  registries: { mirrors: { docker.io: { endpoints: [https://a.example.org] } } }
  features: { kubePrism: { enabled: true, port: 7445 } }
cluster:
  controlPlane: { endpoint: "https://10.0.0.5:6443", localAPIServerPort: 6443 }
  clusterName: one
  network: { dnsDomain: cluster.local, podSubnets: [10.244.0.0/16], serviceSubnets: [10.96.0.0/12] }
  apiServer:
    image: registry.k8s.io/kube-apiserver:v1.36.3
    extraArgs: { audit-log-maxage: "30" }
    admissionControl:
      - name: PodSecurity
        configuration: { defaults: { enforce: baseline }, exemptions: { namespaces: [kube-system] } }
    auditPolicy: { apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: Metadata }] }
  inlineManifests: [{ name: one, contents: "a: 1" }, { name: two, contents: "b: 2" }]
  extraManifests: [https://example.org/a.yaml]
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: stable
---
apiVersion: v1alpha1
kind: LinkConfig
name: net0
up: true
mtu: 9000
addresses: [{ address: 10.0.0.2/24 }, { address: 10.0.1.2/24 }]
routes: [{ gateway: 10.0.0.1 }]
---
apiVersion: v1alpha1
kind: NetworkRuleConfig
name: kubelet
portSelector: { ports: [10250], protocol: tcp }
ingress: [{ subnet: 10.0.0.0/24 }]
---
apiVersion: v1alpha1
kind: NetworkDefaultActionConfig
ingress: block
---
apiVersion: v1alpha1
kind: ExtensionServiceConfig
name: tailscale
configFiles: [{ mountPath: /a, content: old }]
environment: [A=1]
---
apiVersion: v1alpha1
kind: VolumeConfig
name: EPHEMERAL
provisioning: { diskSelector: { match: disk.transport == "nvme" }, minSize: 10GB, maxSize: 50GB, grow: false }
---
apiVersion: v1alpha1
kind: LinkAliasConfig
name: net0
selector: { match: 'mac(link.permanent_addr) == "aa:bb:cc:00:11:22"' }
---
apiVersion: v1alpha1
kind: ZswapConfig
maxPoolPercent: 20
---
apiVersion: v1alpha1
kind: EthernetConfig
name: net0
features: { tx-tcp-segmentation: true }
rings: { rx: 128 }
`;

const document = (kind: string, rest: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${rest}`;

/** What Talos 1.14 has besides. */
const BASE_114 = `---
apiVersion: v1alpha1
kind: KubeNetworkConfig
dnsDomain: cluster.local
podSubnets: [10.244.0.0/16]
serviceSubnets: [10.96.0.0/12]
---
apiVersion: v1alpha1
kind: KubeAuditPolicyConfig
configuration: { apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: Metadata }] }
---
apiVersion: v1alpha1
kind: KubeStaticPodConfig
name: nginx
pod: { apiVersion: v1, kind: Pod, metadata: { name: nginx } }
---
apiVersion: v1alpha1
kind: KubeletConfig
image: ghcr.io/siderolabs/kubelet:v1.37.0
config: { maxPods: 110 }
extraArgs: { v: "2", feature-gates: [A=true] }
---
apiVersion: v1alpha1
kind: ResolverConfig
hostDNS: { enabled: true, forwardKubeDNSToHost: true }
nameservers: [{ address: 1.1.1.1 }]
searchDomains: { domains: [a.example.org] }
---
apiVersion: v1alpha1
kind: UnattendedInstallConfig
installer: { image: example.org/installer:v1 }
provisioning: { diskSelector: { match: disk.dev_path == "/dev/sda" }, wipe: false }
---
apiVersion: v1alpha1
kind: RoutingRuleConfig
name: "100"
src: 10.0.0.0/8
table: main
---
apiVersion: v1alpha1
kind: ContainerConfig
name: one
image: example.org/one:v1
security: { profile: privileged, machinedAccess: true }
`;

/** Name → patch of the config above. */
const PATCHES: Readonly<Record<string, string>> = {
  "a text replaces a text": "machine: { install: { disk: /dev/vda } }",
  "an empty text says nothing": 'machine: { install: { disk: "" } }',
  "null says nothing": "machine: { install: null, kubelet: { image: null } }",
  "false replaces true": "debug: false\nmachine: { install: { wipe: false } }",
  "zero says nothing to a plain number":
    "cluster: { controlPlane: { localAPIServerPort: 0 } }\nmachine: { features: { kubePrism: { port: 0 } } }",
  "zero counts where Talos keeps a pointer": "machine: { network: { kubespan: { mtu: 0 } } }",
  "zero counts in a document with pointers": `${document("ZswapConfig", "maxPoolPercent: 0")}\n---\n${document("EthernetConfig", "name: net0\nrings: { rx: 0, tx: 64 }\nfeatures: { tx-tcp-segmentation: false }")}`,
  "maps merge by key": 'machine: { sysctls: { vm.swappiness: "10", kernel.pid_max: "4194304" } }',
  "a number in a map of texts is a text": "machine: { sysctls: { vm.swappiness: 0 }, nodeLabels: { version: 1.10, a: 0x1F } }",
  "an empty label says nothing to one that is there": 'machine: { nodeLabels: { a: "", c: "" } }',
  "lists are appended":
    "machine: { certSANs: [b.example.org, a.example.org] }\ncluster: { extraManifests: [https://example.org/b.yaml] }",
  "an empty list says nothing": "machine: { certSANs: [] }\ncluster: { extraManifests: [] }",
  "lists of objects are appended": "cluster: { inlineManifests: [{ name: one, contents: 'c: 3' }] }",
  "pod and service subnets are replaced":
    "cluster: { network: { podSubnets: [10.1.0.0/16, fd00::/56], serviceSubnets: [10.2.0.0/16] } }",
  "subnets are replaced by none": "cluster: { network: { podSubnets: [] } }",
  "the audit policy is replaced":
    "cluster: { apiServer: { auditPolicy: { apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [RequestReceived] } } }",
  "an empty audit policy says nothing": "cluster: { apiServer: { auditPolicy: {} } }",
  "ports and ingress of a rule are replaced": document(
    "NetworkRuleConfig",
    "name: kubelet\nportSelector: { ports: [50000, 50001-50005] }\ningress: [{ subnet: 10.9.0.0/24, except: 10.9.0.5/32 }]",
  ),
  "arguments are replaced, their lists too": "machine: { kubelet: { extraArgs: { feature-gates: [C=true], w: x } } }",
  "a CA is replaced as a whole": "machine: { ca: { crt: b3RoZXI= } }",
  "what Talos does not look into merges the same way":
    "machine: { kubelet: { extraConfig: { maxPods: 250, evictionHard: { nodefs.available: 10% }, allowedUnsafeSysctls: [net.ipv4.b] } } }",
  "zero says nothing there either": "machine: { kubelet: { extraConfig: { maxPods: 0, podsPerCore: 0 } } }",
  "interfaces merge by name":
    "machine: { network: { interfaces: [{ interface: eth0, dhcp: false, addresses: [10.0.0.3/24] }] } }",
  "interfaces merge by selector":
    "machine: { network: { interfaces: [{ deviceSelector: { driver: virtio }, dhcp: false }, { deviceSelector: { driver: e1000 } }] } }",
  "another interface is appended": "machine: { network: { interfaces: [{ interface: eth1, dhcp: true }] } }",
  "VLANs merge by id":
    "machine: { network: { interfaces: [{ interface: eth0, vlans: [{ vlanId: 5, mtu: 1300 }, { vlanId: 6 }] }] } }",
  "admission plugins merge by name":
    "cluster: { apiServer: { admissionControl: [{ name: PodSecurity, configuration: { defaults: { warn: restricted }, exemptions: { namespaces: [x] } } }, { name: Other, configuration: { a: 1 } }] } }",
  "mirrors merge by registry":
    "machine: { registries: { mirrors: { docker.io: { endpoints: [https://b.example.org] }, ghcr.io: { endpoints: [https://c.example.org] } } } }",
  "files of a service merge by path": document(
    "ExtensionServiceConfig",
    "name: tailscale\nconfigFiles: [{ mountPath: /a, content: new }, { mountPath: /b, content: b }]\nenvironment: [B=2]",
  ),
  "an endpoint replaces an endpoint": "cluster: { controlPlane: { endpoint: 'https://other.example.org:6443' } }",
  "an absent document is appended": document("ResolverConfig", "nameservers: [{ address: 1.1.1.1 }]"),
  "a document of another name is appended": document("LinkConfig", "name: net1\nup: true"),
  "addresses and routes of a link are appended": document(
    "LinkConfig",
    "name: net0\nmtu: 0\naddresses: [{ address: 10.0.0.3/24 }]\nroutes: [{ destination: 10.0.0.0/8, gateway: 10.0.0.254 }]",
  ),
  "an automatic hostname is switched off": document("HostnameConfig", 'auto: "off"\nhostname: cp-1'),
  "a default action cannot go back to accept": document("NetworkDefaultActionConfig", "ingress: accept"),
  "sizes and selectors of a volume are the patch's": document(
    "VolumeConfig",
    "name: EPHEMERAL\nprovisioning: { grow: true, minSize: 20GB }",
  ),
  "a size replaces a size": document("VolumeConfig", "name: EPHEMERAL\nprovisioning: { maxSize: 60GB }"),
  "another selector takes the place": document(
    "LinkAliasConfig",
    "name: net0\nselector: { match: 'link.driver == \"virtio_net\"' }",
  ),
  "a document is deleted": document("LinkConfig", "name: net0\n$patch: delete"),
  "a document without a name is deleted": document("HostnameConfig", "$patch: delete"),
  "a document is deleted and made anew": `${document("HostnameConfig", "$patch: delete")}\n---\n${document("HostnameConfig", "hostname: cp-1")}`,
  "a document that is not there cannot be deleted": document("LinkConfig", "name: net7\n$patch: delete"),
  "the main document cannot be deleted": "version: v1alpha1\n$patch: delete",
  "a part is deleted": "machine: { network: { $patch: delete } }",
  "a part is deleted and another one changed": "machine: { sysctls: { $patch: delete }, install: { disk: /dev/vda } }",
  "a label is deleted": "machine: { nodeLabels: { a: { $patch: delete } } }",
  "a label that is not there cannot be deleted": "machine: { nodeLabels: { z: { $patch: delete } } }",
  "a list is deleted": "machine: { certSANs: { $patch: delete } }",
  "an argument is deleted": "machine: { kubelet: { extraArgs: { v: { $patch: delete } } } }",
  "a known part that is not there is deleted all the same":
    "machine: { time: { $patch: delete }, kubelet: { clusterDNS: { $patch: delete } } }",
  "below a part that is not there nothing is deleted": "machine: { time: { servers: { $patch: delete } } }",
  "an element is deleted by its name": "cluster: { inlineManifests: [{ name: one, $patch: delete }] }",
  "an element is deleted and one is added":
    "cluster: { inlineManifests: [{ name: one, $patch: delete }, { name: three, contents: 'c: 3' }] }",
  "an element that is not there cannot be deleted": "cluster: { inlineManifests: [{ name: nine, $patch: delete }] }",
  "an element is deleted by an address": document(
    "LinkConfig",
    "name: net0\naddresses: [{ address: 10.0.0.2/24, $patch: delete }]",
  ),
  "nothing is deleted inside an element": "cluster: { inlineManifests: [{ name: one, contents: { $patch: delete } }] }",
  "a plugin is deleted": "cluster: { apiServer: { admissionControl: [{ name: PodSecurity, $patch: delete }] } }",
  "an interface is deleted": "machine: { network: { interfaces: [{ interface: eth0, $patch: delete }] } }",
  "a mirror is deleted": "machine: { registries: { mirrors: { docker.io: { $patch: delete } } } }",
  "a field of a link is deleted": document("LinkConfig", "name: net0\nmtu: { $patch: delete }"),
  "a document twice is refused": `${document("ResolverConfig", "nameservers: [{ address: 1.1.1.1 }]")}\n---\n${document("ResolverConfig", "nameservers: [{ address: 1.0.0.1 }]")}`,
  "octal and binary numbers": "machine: { kubelet: { extraConfig: { a: 0755, b: 0o17, c: 0b11, d: 1_000, e: 0x1f, f: 1.5 } } }",
  "words of YAML 1.1": "machine: { nodeLabels: { on: yes, off: no }, kubelet: { extraConfig: { a: yes, b: off, c: y, d: ~ } } }",
  "several lines":
    'cluster:\n  inlineManifests:\n    - name: four\n      contents: |\n        a:\n          - b\n\n        c: d\n    - name: five\n      contents: |-\n        no end\n    - name: six\n      contents: "  leading\\n\\n"',
};

/** Talos 1.14 stumbles over the merge keys of YAML. */
const PATCHES_BEFORE_114: Readonly<Record<string, string>> = {
  "anchors and merge keys": "machine:\n  sysctls: &s { a.b: '1' }\n  sysfs:\n    <<: *s\n    c.d: '2'",
};

const PATCHES_114: Readonly<Record<string, string>> = {
  "subnets of the document are replaced": document("KubeNetworkConfig", "podSubnets: [10.1.0.0/16, fd00::/56]"),
  "the policy of the document is replaced": document("KubeAuditPolicyConfig", "configuration: { kind: Policy, omitStages: [A] }"),
  "a static pod is replaced": document("KubeStaticPodConfig", "name: nginx\npod: { spec: {} }"),
  "search domains are replaced, nameservers are appended": document(
    "ResolverConfig",
    "nameservers: [{ address: 1.0.0.1 }]\nsearchDomains: { domains: [b.example.org] }",
  ),
  "search domains are replaced by none": document("ResolverConfig", "searchDomains: { domains: [] }"),
  "arguments of the kubelet are replaced": document(
    "KubeletConfig",
    "extraArgs: { feature-gates: [B=true] }\nconfig: { maxPods: 250 }",
  ),
  "an installer replaces an installer, and the selector goes": document("UnattendedInstallConfig", "installer: { image: x:v2 }"),
  "a rule for routes can be changed": document("RoutingRuleConfig", 'name: "100"\naction: blackhole\nsrc: 10.1.0.0/16'),
  "access to machined goes with any change of the security": document(
    "ContainerConfig",
    "name: one\nsecurity: { profile: default }",
  ),
  "a document twice is merged twice": `${document("KubeletConfig", "config: { a: 1 }")}\n---\n${document("KubeletConfig", "config: { b: 2 }")}`,
  "a new document twice is one": `${document("SysctlConfig", "params: { a: '1' }")}\n---\n${document("SysctlConfig", "params: { b: '2' }")}`,
  "a text over a number is refused": document("KubeletConfig", 'config: { maxPods: "110" }'),
};
