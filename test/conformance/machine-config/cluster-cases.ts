import { Secret } from "@talosmith/lib/secret.ts";
import type { Role } from "../../../src/config/config.ts";
import { baseConfig } from "../../../src/talos/config/base-config.ts";
import { type ClusterInput, installerImage } from "../../../src/talos/config/cluster-input.ts";
import { printConfig } from "../../../src/talos/config/print.ts";
import { testBundle } from "../../../src/talos/config/testing/test-bundle.ts";
import type { SecretsBundle } from "../../../src/talos/secrets/bundle.ts";

/** What the cases of one contract are made of. */
export interface CaseContext {
  /** "v1.13" */
  readonly contract: string;
  readonly secrets: SecretsBundle;
  /** The file with these secrets. */
  readonly secretsFile: string;
  /** Writes a file next to cases.json and gives its name back. */
  readonly write: (file: string, text: string) => string;
}

const ROLES: readonly Role[] = ["controlplane", "worker"];
const SCHEMATIC = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
const KUBERNETES: Record<string, string> = { "v1.12": "v1.35.4", "v1.13": "v1.36.3", "v1.14": "v1.37.0" };

type Choices = Partial<ClusterInput>;

/** A cluster that chooses nothing. */
export function plainCluster({ contract, secrets }: Pick<CaseContext, "contract" | "secrets">): ClusterInput {
  return {
    ...testBundle().input,
    contract,
    secrets,
    cni: "flannel",
    scheduleOnControlPlanes: false,
    kubernetes: KUBERNETES[contract] ?? "",
    installerImage: installerImage({
      factory: "https://factory.talos.dev",
      platform: "nocloud",
      schematic: SCHEMATIC,
      talos: `${contract}.9`,
      secureboot: false,
    }),
  };
}

/** Our base configs for every choice a cluster can make: some in all combinations, each alone, all together, many by chance. */
export function clusterCases(context: CaseContext): object[] {
  const plain = plainCluster(context);
  const choices = new Map<string, Choices>([["nothing chosen", {}], ...combined(), ...alone(plain), ...byChance(plain)]);
  return [...choices].map(([name, choice], at) =>
    written(context, `${context.contract} ${name}`, `${at}`, { ...plain, ...choice }),
  );
}

/** What the unit tests compare with is printed by Talos here, into a folder of the contract's name. */
export function goldenCluster({ contract, write }: Pick<CaseContext, "contract" | "write">): object {
  const { input, secretsYaml } = testBundle();
  const context = { contract, write, secrets: input.secrets, secretsFile: write("test-secrets.yaml", secretsYaml) };
  return { ...written(context, `${contract} golden`, "golden", { ...input, contract }), print: contract };
}

function written(context: CaseContext, name: string, at: string, input: ClusterInput): object {
  const [controlplane, worker] = ROLES.map((role) =>
    context.write(`${context.contract}-${at}-${role}.yaml`, printConfig(baseConfig(input, role))),
  );
  const registries = input.registries.map((one) => ({ ...one, password: one.password?.reveal() }));
  return { ...input, registries, name, clusterName: input.name, secrets: context.secretsFile, controlplane, worker };
}

function combined(): [string, Choices][] {
  const cases: [string, Choices][] = [];
  for (const cni of ["cilium", "flannel", "none"] as const)
    for (const [endpoint, platform] of [
      ["10.10.0.5", "nocloud"],
      ["k8s.example.org", "metal"],
      ["fd00::5", "metal"],
    ] as const)
      for (const scheduleOnControlPlanes of [false, true]) {
        const factory = platform === "metal" ? "http://127.0.0.9:8080" : "https://factory.talos.dev";
        const image = installerImage({
          factory,
          platform,
          schematic: SCHEMATIC,
          talos: "v1.14.1",
          secureboot: scheduleOnControlPlanes,
        });
        const name = scheduleOnControlPlanes ? "homelab" : "123";
        cases.push([`${cni} ${endpoint} ${name}`, { cni, endpoint, scheduleOnControlPlanes, name, installerImage: image }]);
      }
  return cases;
}

function alone({ network, secrets }: ClusterInput): [string, Choices][] {
  const registry = { host: "docker.io", mirrors: [], overridePath: false, skipFallback: false, insecure: false };
  const mirror = { ...registry, mirrors: ["https://mirror.example.org", "http://10.0.0.9:5000"] };
  const [login, ca] = [{ username: "robot", password: new Secret("hunter2: #!") }, secrets.certs.k8s.certificate];
  const ipv6 = { podSubnets: ["fc00:db8:10::/56"], serviceSubnets: ["fc00:db8:20::/112"] };
  const proxy = { http: "http://proxy.example.org:3128", except: [] };
  return [
    ["pod and service subnets", { podSubnets: ["10.1.0.0/16"], serviceSubnets: ["10.2.0.0/16"] }],
    ["IPv6", { ...ipv6, endpoint: "fd00::5", network: { ...network, cidr: "fd00::/64" } }],
    [
      "dual stack",
      { podSubnets: ["10.244.0.0/16", ...ipv6.podSubnets], serviceSubnets: ["10.96.0.0/12", ...ipv6.serviceSubnets] },
    ],
    ["DNS domain", { dnsDomain: "k8s.example.org" }],
    ["certificate names", { certSANs: ["k8s.example.org", "10.10.0.5", "fd00::5"] }],
    ["kubelet certificates", { kubeletCertificates: true }],
    ["Talos API access", { talosApiAccess: { roles: ["os:reader", "os:etcd:backup"], namespaces: ["kube-system", "backup"] } }],
    ["external cloud provider", { externalCloudProvider: true }],
    ["no discovery", { discovery: false }],
    ["KubeSpan", { kubespan: true }],
    ["KubeSpan beside the WireGuard of people", { kubespan: true, wireguard: { cidr: "10.250.0.0/24" } }],
    ["time servers", { network: { ...network, timeServers: ["10.10.0.1", "time.example.org"] } }],
    ["proxy", { network: { ...network, proxy } }],
    [
      "proxy among strangers",
      {
        network: { timeServers: [], proxy },
        nodes: [{ ip: "203.0.113.11", secondIp: "2001:db8::11" }, { ip: "198.51.100.4" }],
      },
    ],
    ["proxy, a node outside", { network: { ...network, proxy }, nodes: [{ ip: "10.10.0.11" }, { ip: "203.0.113.7" }] }],
    ["proxies", { network: { ...network, second: { cidr: "fd00:10::/64", prefix: 64 }, proxy: PROXIES } }],
    ["mirrors", { registries: [mirror, { ...mirror, host: "*" }, { ...mirror, host: "10.0.0.9:5000" }] }],
    ["mirrors with paths", { registries: [{ ...mirror, overridePath: true }] }],
    ["mirrors only", { registries: [{ ...mirror, skipFallback: true }] }],
    ["registry login", { registries: [{ ...registry, ...login }] }],
    ["registry authority", { registries: [{ ...registry, host: "r.example.org", ca }] }],
    ["registry unchecked", { registries: [{ ...registry, host: "r.example.org:5000", insecure: true }] }],
    [
      "all about registries",
      {
        registries: [
          { ...mirror, ...login, ca, insecure: true, host: "z" },
          { ...mirror, ca, host: "a" },
        ],
      },
    ],
    ["another disk", { installDisk: "/dev/nvme0n1" }],
    ["a disk by its link", { installDisk: "/dev/disk/by-id/nvme-Samsung_970_S5H9" }],
    ...SELECTORS.map((installDisk, at): [string, Choices] => [`disk selector ${at}`, { installDisk }]),
  ];
}

const PROXIES = {
  http: "http://proxy.example.org:3128",
  https: "http://user:p%40ss@proxy.example.org:3129/",
  except: ["example.org", "192.168.0.0/16"],
};

const SELECTORS = [
  { size: ">= 100GB" },
  { size: "== 1TB" },
  { size: "1.5TiB" },
  { size: "<500 GiB" },
  { size: "> 1000000" },
  { size: "<= 16 eb" },
  { serial: "S5H9*" },
  { model: 'WDC* "Blue" \\ 1' },
  { wwid: "naa.5000c500*" },
  { busPath: "/pci0000:00/0000:00:17.0/ata1/*" },
  ...(["ssd", "hdd", "nvme", "sd"] as const).map((type) => ({ type })),
  { size: "<= 2TB", serial: "a", model: "b", wwid: "c", busPath: "d", type: "ssd" },
] as const;

const BY_CHANCE = 40;

/** Choices of every subject, each taken or not; the same number, the same cluster. */
function byChance(plain: ClusterInput): [string, Choices][] {
  const all = [...combined(), ...alone(plain)];
  const some = Array.from({ length: BY_CHANCE }, (_, seed): [string, Choices] => {
    const chance = chanceFrom(seed);
    return [
      `chance ${seed}`,
      joined(
        plain,
        all.filter(() => chance(6) === 0),
      ),
    ];
  });
  return [["everything", joined(plain, all)], ...some];
}

/** The later choice of one subject counts; Talos refuses KubeSpan without discovery. */
function joined(plain: ClusterInput, chosen: readonly [string, Choices][]): Choices {
  const choices = chosen.map(([, choice]) => choice);
  const all: Choices = Object.assign({}, ...choices);
  const network = Object.assign({}, plain.network, ...choices.map((choice) => choice.network ?? {}));
  return { ...all, network, ...(all.kubespan && { discovery: true }) };
}

function chanceFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % below;
  };
}
