import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { type Main, TestCluster } from "../testing/configs.ts";
import { readDocuments } from "./documents.ts";
import { rebootReason } from "./immediate.ts";
import { documentsIn, machineConfig, textAt } from "./machine-config.ts";
import { nodeNetwork } from "./network.ts";
import { ConfigRefused } from "./raw.ts";
import { type ValidationMode, validateDocuments } from "./validate.ts";

const cluster = new TestCluster("test", "https://10.10.0.5:6443");
const cloud: ValidationMode = { name: "cloud", requiresInstall: false, version: "v1.13.9", disks: [] };
const metal: ValidationMode = { ...cloud, name: "metal", requiresInstall: true };

function document(kind: string, fields: object): object {
  return { apiVersion: "v1alpha1", kind, ...fields };
}

/** What Talos says to a config; "" when it takes it. */
function judged(text: string, mode = cloud, minor = 13): string {
  try {
    validateDocuments(readDocuments(text, minor), {
      ...mode,
      version: mode === cloud || mode === metal ? `v1.${minor}.9` : mode.version,
    });
    return "";
  } catch (error) {
    if (error instanceof ConfigRefused) return error.message;
    throw error;
  }
}

function changed(role: "controlplane" | "worker", change: (main: Main) => void, more: object[] = []): string {
  return cluster.config(role, "node-1", more, change);
}

test("configs as talosctl generates them are taken, in every mode", () => {
  for (const role of ["controlplane", "worker"] as const) {
    for (const mode of [cloud, metal]) expect(judged(cluster.config(role, "node-1"), mode)).toBe("");
  }
});

// The texts are those of Talos's v1alpha1_validation.go and its network documents, v1.13.9.
describe("contradictions that Talos refuses", () => {
  const virtualAddress = { interfaces: [{ interface: "eth0", vip: { ip: "10.0.0.5" } }] };
  const resolver = [document("ResolverConfig", { nameservers: [] })];
  const cases: [problem: string, text: string, mode?: typeof cloud][] = [
    [
      "issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)",
      changed("worker", (main) => (main.machine.ca.key = "eA==")),
    ],
    ["etcd config is only allowed on control plane machines", changed("worker", (main) => (main.cluster.etcd = { image: "x" }))],
    [
      "virtual (shared) IP is not allowed on non-controlplane nodes",
      changed("worker", (main) => (main.machine.network = virtualAddress)),
    ],
    [
      'cni name should be one of ["flannel", "custom", "none"]',
      changed("controlplane", (main) => (main.cluster.network.cni = { name: "cilium" })),
    ],
    [
      "static hostname is already set in v1alpha1 config",
      changed("controlplane", (main) => (main.machine.network.hostname = "x")),
    ],
    [
      ".machine.network.nameservers is already set in v1alpha1 config",
      changed("controlplane", (main) => (main.machine.network.nameservers = ["1.1.1.1"]), resolver),
    ],
    ['install instructions are required in "metal" mode', changed("controlplane", (main) => delete main.machine.install), metal],
    [
      "install.extraKernelArgs and install.grubUseUKICmdline can't be used together",
      changed("controlplane", (main) => (main.machine.install.extraKernelArgs = ["x"])),
      metal,
    ],
    [
      ".cluster.discovery should be enabled when .machine.network.kubespan is enabled",
      changed("controlplane", (main) => {
        main.machine.network.kubespan = { enabled: true };
        main.cluster.discovery.enabled = false;
      }),
    ],
  ];
  test.each(cases)("%s", (problem, text, mode) => {
    expect(judged(text, mode)).toContain(problem);
  });

  test("several problems are told together, as Go prints them", () => {
    const text = changed("worker", (main) => {
      main.machine.ca.key = "eA==";
      main.machine.type = "boss";
    });
    expect(judged(text)).toBe(
      '1 error occurred:\n\t* v1alpha1.Config: 1 error occurred:\n\t* unknown machine type "boss"\n\n\n\n',
    );
  });
});

describe("HostnameConfig", () => {
  const hostname = (fields: object, mode = cloud) =>
    judged(
      `apiVersion: v1alpha1\nkind: HostnameConfig\n${Object.entries(fields)
        .map(([key, word]) => `${key}: ${word}\n`)
        .join("")}`,
      mode,
    );

  test("auto and a hostname exclude each other, unless auto is off", () => {
    expect(hostname({ auto: "stable", hostname: "x" })).toContain("'auto' and 'hostname' cannot be set at the same time");
    expect(hostname({ auto: "off", hostname: "x" })).toBe("");
    expect(hostname({ hostname: "x" })).toBe("");
  });

  test("auto: off alone is refused before 1.12.9", () => {
    expect(hostname({ auto: "off" }, { ...cloud, version: "v1.12.8" })).toContain("either 'auto' or 'hostname' must be set");
    expect(hostname({ auto: "off" })).toBe("");
  });
});

test("a kind that came later is refused by an older Talos", () => {
  const text = "apiVersion: v1alpha1\nkind: KubeSpanConfig\nenabled: true\n";
  expect(judged(text, cloud, 12)).toBe(
    'error decoding document v1alpha1/KubeSpanConfig/ (line 1): "KubeSpanConfig" "v1alpha1": not registered',
  );
  expect(judged(text, cloud, 13)).toBe("");
});

test("two documents of one kind and name are refused", () => {
  const one = "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\n";
  expect(judged(`${one}---\n${one}`)).toBe("duplicate document v1alpha1/LinkConfig/eth0 is not allowed (line 5)");
});

test("a key nobody knows is found wherever it is", () => {
  const text = changed("controlplane", (main) => (main.machine.kubelet.imagee = "x"));
  expect(judged(text)).toContain("unknown keys found during decoding:\nmachine:\n    kubelet:\n        imagee: x\n");
});

test("a token of digits stays the text it is", () => {
  const text = changed("controlplane", (main) => (main.machine.token = "012345.0123456789012345")).replace(
    /"(012345\.\d+)"/,
    "$1",
  );
  expect(machineConfig(text)?.token).toBe("012345.0123456789012345");
});

test("any text is either read or refused, and never breaks the lab", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("", "machine:\n", "apiVersion: v1alpha1\nkind: LinkConfig\n"), (text, before) => {
      expect(typeof judged(before + text)).toBe("string");
    }),
  );
});

test("a value of any shape anywhere is either taken or refused, and what is taken can be read", () => {
  const paths = [
    "machine",
    "cluster",
    "machine.network",
    "machine.network.interfaces",
    "machine.install",
    "machine.certSANs",
    "machine.acceptedCAs",
  ];
  const more = [
    "machine.ca",
    "cluster.inlineManifests",
    "cluster.network.cni",
    "cluster.etcd",
    "machine.nodeLabels",
    "machine.features.hostDNS",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...paths, ...more), fc.jsonValue(), (path, odd) => {
      const text = changed("controlplane", (main) => {
        const keys = path.split(".");
        const last = keys.pop() as string;
        keys.reduce((inner, key) => inner[key], main)[last] = odd;
      });
      if (judged(text) === "") nodeNetwork(machineConfig(text)?.documents ?? [], { addresses: [], nameservers: [] }, [], "x");
    }),
    { numRuns: runs(80) },
  );
});

test("a change of labels, images or the cluster needs no reboot, one of files, token or type does", () => {
  const current = machineConfig(cluster.config("controlplane", "node-1"));
  const next = (change: (main: Main) => void) => machineConfig(changed("controlplane", change));
  const reason = (change: (main: Main) => void) => current && rebootReason(current, next(change) as NonNullable<typeof current>);
  expect(reason((main) => (main.machine.nodeLabels.x = "y"))).toBeUndefined();
  expect(reason((main) => (main.machine.kubelet.image = "x"))).toBeUndefined();
  expect(reason((main) => (main.cluster.proxy = { disabled: true }))).toBeUndefined();
  expect(reason((main) => (main.machine.features.hostDNS.resolveMemberNames = true))).toBeUndefined();
  expect(reason((main) => (main.machine.token = "x"))).toContain("-    token: abcdef");
  expect(reason((main) => (main.machine.features.diskQuotaSupport = false))).toBeDefined();
});

describe("addresses", () => {
  const links = [
    { name: "eth0", mac: "bc:24:11:00:00:01", driver: "virtio_net" },
    { name: "eth1", mac: "bc:24:11:00:00:02", driver: "virtio_net" },
  ];
  const platform = { hostname: "vm-1", addresses: ["10.0.0.9/24"], nameservers: ["10.0.0.1"] };
  const network = (...documents: object[]) =>
    nodeNetwork(documentsIn(documents.map((one) => JSON.stringify(one)).join("\n---\n")), platform, links, "talos-abc-def");

  test("without a config the platform decides, and the last resort is a stable name", () => {
    expect(network()).toMatchObject({
      hostname: "vm-1",
      addresses: [{ link: "eth0", address: "10.0.0.9/24" }],
      nameservers: ["10.0.0.1"],
    });
    expect(nodeNetwork([], { addresses: [], nameservers: [] }, links, "talos-abc-def").hostname).toBe("talos-abc-def");
  });

  test("an alias leads to the one link it matches, and to none when it matches several", () => {
    const alias = (match: string) => document("LinkAliasConfig", { name: "net0", selector: { match } });
    const link = document("LinkConfig", { name: "net0", addresses: [{ address: "10.0.0.10/24" }] });
    const found = network(alias('mac(link.permanent_addr) == "bc:24:11:00:00:02"'), link);
    expect(found.addresses[0]).toEqual({ link: "eth1", address: "10.0.0.10/24" });
    expect(network(alias('glob("bc:24:11:*", mac(link.permanent_addr))'), link).addresses).toHaveLength(1);
  });

  test("an alias with %d counts the links it matches", () => {
    const alias = document("LinkAliasConfig", { name: "net%d", selector: { match: 'link.driver == "virtio_net"' } });
    expect(network(alias).aliases).toEqual({ net0: "eth0", net1: "eth1" });
  });

  test("a VLAN on a bond has its address, whichever document comes first; what lies on nothing is not made", () => {
    const found = network(
      document("VLANConfig", { name: "bond0.20", vlanID: 20, parent: "bond0", addresses: [{ address: "10.20.0.9/24" }] }),
      document("BondConfig", {
        name: "bond0",
        links: ["eth0", "eth1"],
        bondMode: "802.3ad",
        addresses: [{ address: "10.1.0.9/24" }],
      }),
      document("VLANConfig", { name: "eth7.30", vlanID: 30, parent: "eth7", addresses: [{ address: "10.30.0.9/24" }] }),
    );
    expect(found.links).toEqual([
      { name: "bond0", kind: "bond", over: ["eth0", "eth1"] },
      { name: "bond0.20", kind: "vlan", over: ["bond0"], vlan: 20 },
    ]);
    expect(found.addresses.map(({ link, address }) => `${link} ${address}`)).toEqual([
      "bond0.20 10.20.0.9/24",
      "bond0 10.1.0.9/24",
      "eth0 10.0.0.9/24",
    ]);
  });

  test("the old spelling makes the same links", () => {
    const vlans = [{ vlanId: 20, addresses: ["10.20.0.9/24"] }];
    const bond = { interface: "bond0", bond: { interfaces: ["eth0", "eth1"] }, vlans, routes: [{ gateway: "10.1.0.1" }] };
    const found = network({ version: "v1alpha1", machine: { network: { interfaces: [bond] } } });
    expect(found.links.map(({ name, kind }) => `${kind} ${name}`)).toEqual(["bond bond0", "vlan bond0.20"]);
    expect(found).toMatchObject({ gateway: "10.1.0.1", addresses: [{ link: "bond0.20", address: "10.20.0.9/24" }, {}] });
  });

  test("an address from DHCP is lost to a config that sets up a link, unless it asks for it", () => {
    const lease = { ...platform, dhcp: true as const };
    const link = document("LinkConfig", { name: "eth1", addresses: [{ address: "fd00::9/64" }] });
    const addresses = (...all: object[]) =>
      nodeNetwork(documentsIn(all.map((one) => JSON.stringify(one)).join("\n---\n")), lease, links, "x").addresses.map(
        ({ address }) => address,
      );
    expect(addresses()).toEqual(["10.0.0.9/24"]);
    expect(addresses(link)).toEqual(["fd00::9/64"]);
    expect(addresses(link, document("DHCPv4Config", { name: "eth0" }))).toEqual(["fd00::9/64", "10.0.0.9/24"]);
  });

  test("a virtual address needs a link that is there", () => {
    expect(network(document("Layer2VIPConfig", { name: "10.0.0.5", link: "eth0" })).vips).toEqual([
      { address: "10.0.0.5", link: "eth0" },
    ]);
    expect(network(document("Layer2VIPConfig", { name: "10.0.0.5", link: "net0" })).vips).toEqual([]);
  });
});

test("what an old config says of the API server counts, although no document speaks of it", () => {
  const config = machineConfig(cluster.config("controlplane", "node-1"));
  expect(config && textAt(config, "cluster.apiServer.image")).toMatch(/^registry\.k8s\.io\/kube-apiserver:v1\./);
});
