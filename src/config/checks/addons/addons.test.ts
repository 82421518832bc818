import { expect, test } from "vitest";
import { changed, failure, load, loadMetal, METAL, problems, TOKEN, type Trial } from "../../testing/config-in-memory.ts";

const KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nZGVwbG95\n-----END OPENSSH PRIVATE KEY-----\n";
const trial: Trial = {
  files: { "deploy-key": KEY },
  env: { PROXMOX_TOKEN: TOKEN, T: "csi@pve!k=6f2d4c1e-90ab-4c3d-8e7f-102938475665", P: "swordfish" },
};

/** The good config with these lines as addons; Cilium is the pod network when asked for. */
const withAddons = (lines: string, cluster = "") =>
  changed({ "nodes:": `addons:\n  ${lines}\nnodes:`, "talos: v1.13.9": `talos: v1.13.9${cluster}` });
const onCilium = (lines: string) => withAddons(lines, "\n  cni: cilium");

const told = (config: string) => {
  const { problems: all } = failure(config, trial);
  return all.map(({ where, message, hint }) => [`${where?.line}:${where?.column}`, message, hint]);
};
const warned = (config: string) => load(config, trial).warnings.map(({ where, message }) => `${where?.line} ${message}`);

type Case = [lines: string, at: string, message: string | RegExp, hint: string | RegExp];

function eachTold(cases: readonly Case[], make: (lines: string) => string): void {
  test.each(cases)("%s is reported with its place and a hint", (lines, at, message, hint) => {
    const [problem, ...more] = told(make(lines));
    expect([problem?.[0], more]).toEqual([at, []]);
    expect(problem?.[1]).toMatch(message);
    expect(problem?.[2]).toMatch(hint);
  });
}

eachTold(
  [
    ["cilium: true", "15:3", "addons.cilium is set, but cluster.cni is flannel, the default", "set cluster.cni: cilium"],
    ["flux: { url: ssh://git@github.com/a/b }", "15:3", "addons.flux.key is missing", /ssh-keygen -t ed25519/],
    [
      "flux: { url: ssh://git@git.home/a/b, key: deploy-key }",
      "15:16",
      "addons.flux.knownHosts is missing: the keys of git.home are not known",
      /ssh-keyscan git.home > known_hosts/,
    ],
    [
      "flux: { url: git@github.com:a/b.git, key: deploy-key }",
      "15:16",
      "uses SSH's short form",
      /^write ssh:\/\/git@github.com\/a\/b.git$/,
    ],
    ["flux: { url: https://x:y@git.home/a }", "15:16", "must not contain a password", "username and password"],
    ["flux: { url: ftp://git.home/a }", "15:16", "is not the URL of a Git repository", "ssh://git@github.com"],
    [
      "flux: { url: https://git.home/a, key: deploy-key }",
      "15:36",
      "addons.flux.key is for ssh://, but addons.flux.url is https://",
      "ssh://",
    ],
    ["flux: { url: https://git.home/a, username: me }", "15:36", "username is set, but password is missing", "add password"],
    [
      `flux: { url: https://git.home/a, password: "\${env:P}" }`,
      "15:36",
      "password is set, but username is missing",
      "add username",
    ],
    [
      "flux: { url: ssh://git@github.com/a/b, key: gone }",
      "15:47",
      "addons.flux.key names a file that does not exist",
      "name a private key",
    ],
    ["flux: { url: https://git.home/a, ageKey: age1abc }", "15:44", "addons.flux.ageKey is a public key", "AGE-SECRET-KEY-1"],
    ["flux: { url: https://git.home/a, interval: often }", "15:46", "addons.flux.interval is not an interval", "such as 30s"],
    [
      "flux: { url: https://git.home/a, path: ../up }",
      "15:42",
      "addons.flux.path is not a folder of a repository",
      "clusters/homelab",
    ],
    ["flux: true", "15:9", "addons.flux is not valid", "write the keys it needs: { url: ssh://"],
    ["argocd: { branch: main }", "15:13", "addons.argocd.branch is set, but addons.argocd.url is missing", "add url"],
    [
      "longhorn: { volume: data }",
      "15:23",
      "addons.longhorn.volume is data, but worker has no user volume of that name",
      "volumes: [{ name: data",
    ],
    [
      "longhorn: true\n  localPath: { defaultClass: true }",
      "16:16",
      /localPath.defaultClass creates a second default storage class, besides addons.longhorn.defaultClass \(line 15\)/,
      "defaultClass: false",
    ],
    [
      `proxmoxCsi: { token: "\${env:T}", classes: [{ name: a, storage: b2 }, { name: a, storage: c2 }] }`,
      "15:80",
      "is the name of another storage class",
      "another name",
    ],
    [`proxmoxCsi: { token: "\${env:T}", classes: [] }`, "15:45", "addons.proxmoxCsi.classes is empty", "name a storage class"],
    [
      "proxmoxCsi: { token: swordfish, classes: [{ name: a, storage: b2 }] }",
      "15:24",
      "is not an API token",
      "looks like user@realm",
    ],
    ["monitoring: { destinations: {} }", "15:31", "addons.monitoring.destinations is empty", "name at least one"],
    ["monitoring: {}", "15:3", "addons.monitoring.destinations is missing", "add under addons.monitoring"],
    [
      "monitoring: { logs: true, destinations: { a: { type: prometheus, url: https://a.b } } }",
      "15:17",
      "addons.monitoring.logs is set, but no destination accepts logs",
      "loki or otlp",
    ],
    [
      "monitoring: { destinations: { a: { type: loki, url: https://a.b, username: x } } }",
      "15:68",
      "username is set, but password is missing",
      "add password",
    ],
    ["charts: [{ name: a, chart: b/c, repository: https://c.d, version: 1.2.3 }]", "15:30", "is not a chart name", "repository"],
    ["charts: [{ name: A, chart: b, repository: https://c.d, version: 1.2.3 }]", "15:20", "is not a valid name", "at most 53"],
    [
      "charts: [{ name: a, chart: b, repository: https://c.d, version: 1.2 }]",
      "15:67",
      "must be text; without quotes, YAML reads 1.2 as a number",
      'write it in full, such as "1.2.3"',
    ],
    [
      "charts: [{ name: a, chart: b, repository: c.d, version: 1.2.3 }]",
      "15:45",
      "is not a web address",
      "https://charts.example.org",
    ],
    ["secrets: [{ name: a, namespace: b, data: { c/d: e } }]", "15:46", "is not a valid Secret key", "letters, digits"],
    ["secrets: [{ name: a, data: { c: d } }]", "15:13", "addons.secrets[0].namespace is missing", "namespace: apps"],
    ["certManager: { version: 1.21.2 }", "15:27", "is not a full chart version", 'write "v1.21.2"'],
    [
      `secrets: [{ name: a, namespace: b, data: { c: "\${env:P}" } }, { name: a, namespace: b, data: { d: "\${env:P}" } }]`,
      "15:65",
      "addons.secrets[1] is Secret b/a, and so is addons.secrets[0] (line 15)",
      "under one data",
    ],
    ["certManger: true", "15:3", "addons.certManger is not a known key", "did you mean certManager?"],
    ["helmImage: helm", "15:14", "addons.helmImage is not a full image name", "registry, name and tag"],
  ],
  withAddons,
);

eachTold(
  [
    ["cilium: false", "16:3", "addons.cilium is false, but cluster.cni is cilium", "cni: none"],
    ["cilium: { namespace: x }", "16:13", "addons.cilium.namespace is not a known key", "addons."],
    [
      "cilium: { loadBalancer: { addresses: [10.10.0.9-10.10.0.12] } }",
      "16:41",
      /addresses\[0\] contains the address of cp$/,
      "10.10.0.11 is taken",
    ],
    [
      "cilium: { loadBalancer: { addresses: [10.10.0.0/29] } }",
      "16:41",
      /contains the address of the gateway$/,
      "10.10.0.1 is taken",
    ],
    [
      "cilium: { loadBalancer: { addresses: [10.10.0.4-10.10.0.6] } }",
      "16:41",
      /contains the address of the cluster's endpoint$/,
      "10.10.0.5 is taken",
    ],
    [
      "cilium: { loadBalancer: { addresses: [10.10.0.9-10.10.0.8] } }",
      "16:41",
      "is not an address range",
      "the first and the last",
    ],
    ["cilium: { loadBalancer: { addresses: [10.10.0.99/28] } }", "16:41", "is not an address range", "10.10.1.0/28"],
    [
      "cilium: { loadBalancer: { addresses: [10.10.0.96/28, 10.10.0.100-10.10.0.101] } }",
      "16:56",
      /addresses\[1\] and \S*addresses\[0\] overlap/,
      "do not overlap",
    ],
    [
      "cilium: { loadBalancer: { addresses: [10.9.0.0/24], announce: bgp } }",
      "16:65",
      "announce is bgp, but there is no addons.cilium.bgp",
      "peers",
    ],
    [
      "cilium: { bgp: { asn: 1, peers: [{ address: 10.10.0.1, asn: 2 }] } }",
      "16:13",
      "bgp announces nothing: there is no",
      "loadBalancer",
    ],
    [
      "cilium: { loadBalancer: { addresses: [10.10.0.96/28], announce: none, interfaces: [eth0] } }",
      "16:27",
      "has interfaces, which need announce: l2",
      "announce: l2",
    ],
    [
      "charts: [{ name: cilium, chart: x, repository: https://c.d, version: 1.2.3 }]",
      "16:12",
      / and cluster.cni \(line 6\) are both called cilium$/,
      "another name",
    ],
    [
      "charts: [{ name: a, chart: x, repository: https://c.d, version: 1.2.3 }, { name: a, chart: y, repository: https://c.d, version: 1.2.3 }]",
      "16:76",
      /charts\[1\] and addons.charts\[0\] \(line \d+\) are both called a$/,
      "another name",
    ],
    [
      "certManager: true\n  charts: [{ name: cert, chart: x, repository: https://c.d, version: 1.2.3 }, { name: metrics-server, chart: x, repository: https://c.d, version: 1.2.3, namespace: kube-system }]\n  metricsServer: true",
      "18:18",
      /addons.metricsServer and addons.charts\[1\] \(line 17\) are both called metrics-server$/,
      "another name",
    ],
    [
      "flux: { url: https://git.home/a }\n  charts: [{ name: flux2, chart: x, repository: https://c.d, version: 1.2.3, namespace: flux-system }]",
      "17:12",
      /addons.charts\[0\] and addons.flux \(line 16\) are both release flux2 in namespace flux-system/,
      "another name or namespace",
    ],
  ],
  onCilium,
);

test("a conflict between an addon's requirement and the file is reported with both lines", () => {
  const config = withAddons(
    "metricsServer: true\n  talosCcm: true",
    "\n  kubeletCertificates: false\n  externalCloudProvider: false",
  );
  expect(problems(config)).toEqual([
    "6:24 cluster.kubeletCertificates is false, but addons.metricsServer (line 17) needs it",
    "7:26 cluster.externalCloudProvider is false, but addons.talosCcm (line 18) needs it",
  ]);
});

test("warns about two cloud controllers, unless one only approves certificates", () => {
  const both = (ccm: string) => warned(withAddons(`proxmoxCcm: { token: "\${env:T}" }\n  talosCcm: ${ccm}`));
  expect(both("true")).toEqual([expect.stringMatching(/^16 .*both initialise nodes/)]);
  expect(both("{ values: { enabledControllers: [node-csr-approval] } }")).toEqual([]);
});

test("an addon's requirement is set automatically when the file does not set it", () => {
  const { config } = load(withAddons("metricsServer: true\n  talosCcm: true\n  longhorn: true"), trial);
  const { kubeletCertificates, externalCloudProvider, talosApiAccess } = config.cluster;
  expect([kubeletCertificates, externalCloudProvider]).toEqual([true, true]);
  expect(talosApiAccess).toEqual({ roles: ["os:reader"], namespaces: ["kube-system"] });
  // Control planes take no workloads here, so Longhorn is not on them.
  expect(config.nodes.map(({ image, kubeletMounts }) => [...image.extensions, ...kubeletMounts])).toEqual([
    [],
    ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools", "/var/mnt/longhorn"],
    ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools", "/var/mnt/longhorn"],
  ]);
});

test("a volume of the workers, on a disk of its own or not, can hold Longhorn's data", () => {
  const longhorn = withAddons("longhorn: { volume: data }");
  const onDisk = changed({ "count: 2,": "count: 2, disks: [{ size: 50GiB, volume: data }]," }, longhorn);
  const [, worker] = load(onDisk, trial).config.nodes;
  expect([worker?.kubeletMounts, worker?.volumes.map(({ name }) => name)]).toEqual([[], ["data"]]);
  const raw = changed(
    { "count: 2,": "count: 2, volumes: [{ name: data, kind: raw, disk: /dev/sdb, minSize: 5GiB }]," },
    longhorn,
  );
  expect(problems(raw, trial)).toEqual(["15:23 addons.longhorn.volume is data, but worker has no user volume of that name"]);
});

test("Proxmox's drivers are refused on other platforms", () => {
  const config = changed(
    {
      "nodes:": `addons:\n  proxmoxCcm: { token: "\${env:T}" }\n  proxmoxCsi: { token: "\${env:T}", classes: [{ name: a, storage: b2 }] }\nnodes:`,
    },
    METAL,
  );
  expect(problems(config, trial)).toEqual([
    "10:3 addons.proxmoxCcm is for platform: proxmox",
    "11:3 addons.proxmoxCsi is for platform: proxmox",
  ]);
});

test("a folder that only Talos's old format can give to kubelets is refused with the new one", () => {
  const config = (talos: string) =>
    changed({ "nodes:": "addons:\n  localPath: { path: /var/lib/volumes }\nnodes:", "v1.13.9": talos }, METAL);
  expect(loadMetal(config("v1.13.9")).config.nodes[1]?.kubeletMounts).toEqual(["/var/lib/volumes"]);
  expect(problems(config("v1.14.1"))).toEqual([
    "10:3 addons.localPath needs kubelets to mount /var/lib/volumes, which Talos's config format v1.14 does not support",
  ]);
});

test.each([
  ["nvidia: true", "15 addons.nvidia has no effect: no node has a gpu"],
  [
    "certManager: { repository: http://charts.home }",
    "15 addons.certManager.repository is reached without TLS, so the chart could be changed in transit",
  ],
  [
    "manifests: [{ url: http://a.home/b.yaml }]",
    "15 addons.manifests[0].url is reached without TLS, so the manifest could be changed in transit",
  ],
  [
    "flux: { url: http://git.home/a }",
    "15 addons.flux.url is reached without TLS, so the repository's content could be changed in transit",
  ],
  [
    "secrets: [{ name: a, namespace: b, data: { c: swordfish } }]",
    "15 addons.secrets[0].data.c is stored in plain text in this file",
  ],
  [
    "certManager: { values: { adminPassword: swordfish } }",
    "15 addons.certManager.values.adminPassword is stored in plain text in this file",
  ],
])("warns about %s", (lines, expected) => {
  expect(warned(withAddons(lines))).toEqual([expected]);
});

test.each([
  [
    "cilium: { loadBalancer: { addresses: [10.99.0.0/28] } }",
    "16 addons.cilium.loadBalancer.addresses[0] is outside the nodes' network, where an l2 announcement has no effect",
  ],
  ['cilium: { version: "1.18.2" }', "16 Cilium 1.18 is tested with Kubernetes 1.30 to 1.33, not 1.36"],
])("warns about %s", (lines, expected) => {
  expect(warned(onCilium(lines))).toEqual([expected]);
});

test("warns about versions that were not tested together, with the nearest tested set", () => {
  const config = changed({ "talos: v1.13.9": "talos: v1.14.1\n  kubernetes: v1.37.0\n  cni: cilium" });
  const [warning, ...more] = load(config).warnings;
  expect([warning?.where?.line, more]).toEqual([6, []]);
  expect(warning?.message).toBe("Cilium 1.20 is tested with Kubernetes 1.33 to 1.36, not 1.37");
  expect(warning?.hint).toMatch(/^the nearest set that was tested is Talos v1.14.1 with Kubernetes v1.36.\d+ and Cilium 1.20.1$/);
});

test("warns that an existing schematic must contain an addon's extensions", () => {
  const schematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
  const config = withAddons("longhorn: true").replace("proxmox:\n", `image: { schematic: ${schematic} }\nproxmox:\n`);
  expect(warned(config)).toEqual([
    "9 image.schematic must contain siderolabs/iscsi-tools and siderolabs/util-linux-tools, which addons.longhorn needs",
  ]);
});

test("only a key in the config itself counts as plain text, not the name of a key file", () => {
  const flux = "flux: { url: ssh://git@github.com/a/b, key: deploy-key }";
  expect(warned(withAddons(flux))).toEqual([]);
  const literal = `flux:\n    url: ssh://git@github.com/a/b\n    key: |\n${KEY.replaceAll(/^(?=.)/gm, "      ")}`;
  expect(warned(withAddons(literal))).toEqual(["17 addons.flux.key is stored in plain text in this file"]);
});
