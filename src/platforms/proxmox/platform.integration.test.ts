import { readImage } from "@talosmith/lab/factory/image.ts";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import { proxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { contentOf } from "@talosmith/lab/proxmox/storage/volumes.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testSession } from "../../../test/support/toy.ts";
import type { NetworkConfig } from "../../config/config.ts";
import { changesOf, errorsOf, makePlan } from "../../engine/plan.ts";
import { runPlan } from "../../engine/run.ts";
import type { Read } from "../../engine/step.ts";
import type { TalosNode } from "../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../talos/api/talos-nodes.ts";
import type { ConfigOnProxmox, ProxmoxNodeConfig } from "./config/config-on-proxmox.ts";
import { proxmoxPlatform } from "./platform.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";
import { ENVIRONMENT } from "./testing/environment-id.ts";
import { secrets } from "./testing/platform-lab.ts";
import { testNode } from "./testing/test-node.ts";

/** Nothing built in, and the guest agent (docs/facts/talos.md#schematics). */
const PLAIN = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";
const AGENT = "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";
const agent = { extensions: ["siderolabs/qemu-guest-agent"], kernelArgs: [] };

let lab: RunningLab;
beforeEach(async () => {
  lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "s",
    timeScale: "instant",
    services: [factoryService(), proxmoxService({ rootPassword: "r" })],
  });
  await lab.start();
});
afterEach(() => lab.close());

const session = { ...testSession(), world: realWorld() };

const FOUR: NetworkConfig = {
  cidr: "10.10.0.0/24",
  prefix: 24,
  gateway: "10.10.0.1",
  nameservers: ["10.10.0.1"],
  via: "direct",
  timeServers: [],
};

interface Wishes {
  nodes: readonly ProxmoxNodeConfig[];
  method?: "import" | "template";
  network?: NetworkConfig;
  /** The schematic that all nodes report. */
  running?: string;
}

function environment({ nodes, method = "import", network = FOUR }: Wishes): ProxmoxEnvironment {
  const { proxmox = {}, factory = {} } = lab.published();
  const config = {
    platform: "proxmox",
    cluster: { name: "life", talos: "v1.13.9" },
    network,
    image: { method, clone: "full", factory: factory.url ?? "", arch: "amd64", secureboot: false },
    proxmox: {
      url: proxmox.url ?? "",
      tls: { by: "fingerprint", fingerprint: proxmox.fingerprint ?? "" },
      token: new Redactor().secret(proxmox.token ?? ""),
      hosts: ["pve1"],
      storage: { disks: "local-lvm", images: "local" },
      bridge: "vmbr0",
    },
    nodes,
  } as unknown as ConfigOnProxmox;
  return { config, folder: "/env", shown: "env", warnings: [], where: () => undefined };
}

/** Nodes of this cluster that all run this schematic; silent without it. */
function nodesThatRun(schematic: string | undefined): TalosNodes {
  const resource = {
    id: "0",
    version: "1",
    phase: "running",
    spec: { metadata: { name: "schematic", version: schematic ?? "" } },
  };
  const node = { resources: async () => [resource] } as unknown as TalosNode;
  const ask: TalosNodes["ask"] = async (_, question) =>
    schematic === undefined ? { is: "silent", why: "nobody answers" } : { is: "ours", answer: await question(node) };
  return { ask } as unknown as TalosNodes;
}

/** The stages that make machines, as another command would plan them. */
async function planned(wishes: Wishes) {
  const platform = proxmoxPlatform(session.world, environment(wishes), nodesThatRun(wishes.running));
  const looking: Read = {
    ...session,
    get: () => ENVIRONMENT as never,
    shared: (_, load) => load(),
    until: async (one) => void (await one.poll(looking)),
    say: () => {},
    failed: () => undefined,
  };
  const found = await platform.inventory(ENVIRONMENT, looking);
  const items = [secrets, ...platform.steps("image", found), ...platform.steps("provision", found)];
  return { plan: await makePlan(items, session), close: () => platform.close() };
}

async function up(wishes: Wishes): Promise<void> {
  const { plan, close } = await planned(wishes);
  expect(errorsOf(plan)).toEqual([]);
  const results = await runPlan(plan, session);
  expect(results.filter(({ outcome }) => outcome !== "changed" && outcome !== "unchanged")).toEqual([]);
  close();
}

async function changes(wishes: Wishes): Promise<string[]> {
  const { plan, close } = await planned(wishes);
  expect(errorsOf(plan)).toEqual([]);
  close();
  return changesOf(plan).map(({ verb, subject, fields }) =>
    [verb, subject, ...fields.map(({ path, from, to }) => `${path} ${JSON.stringify(from)} → ${JSON.stringify(to)}`)].join(" "),
  );
}

/** The schematic on the disk of each machine. */
function schematics(): Record<string, string | undefined> {
  const state = proxmoxState(lab);
  const machines = Object.values(state.vms).filter((vm) => vm.config.template !== "1");
  return Object.fromEntries(
    machines.map((vm) => {
      const [disk] = (vm.config.scsi0 ?? "").split(",");
      const volume = state.volumes.find(({ storage, name }) => `${storage}:${name}` === disk);
      const bytes = volume && contentOf(state, volume);
      return [vm.config.name, bytes && readImage(bytes).talos?.schematic];
    }),
  );
}

const mixed = [
  testNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11" }),
  testNode({ name: "worker-1" }),
  testNode({ name: "gpu-1", ip: "10.10.0.31", image: agent }),
];

test.each(["import", "template"] as const)(
  "with %s, machines of two schematics in one cluster each boot their own, and the second plan is empty",
  async (method) => {
    await up({ nodes: mixed, method });
    expect(schematics()).toEqual({ "cp-1": PLAIN, "worker-1": PLAIN, "gpu-1": AGENT });
    expect(await changes({ nodes: mixed, method })).toEqual([]);
  },
);

test("a machine that lives keeps its disk when its config wants another schematic: that is an upgrade", async () => {
  await up({ nodes: mixed });
  const wanted = mixed.map((node) =>
    node.name === "worker-1" ? { ...node, image: { extensions: ["siderolabs/zfs"], kernelArgs: [] } } : node,
  );
  expect(await changes({ nodes: wanted })).toEqual([]);
});

test("the guest agent that a config adds is switched on with the image that has it, not before", async () => {
  const nodes = [testNode({ name: "worker-1" })];
  await up({ nodes });
  const wanted = nodes.map((node) => ({ ...node, image: agent }));
  expect(await changes({ nodes: wanted, running: PLAIN })).toEqual([]);
  expect(await changes({ nodes: wanted, running: AGENT })).toEqual(["restart machine worker-1 guest agent false → true"]);
});

test("only what a new machine is made from is fetched", async () => {
  await up({ nodes: mixed.slice(0, 2) });
  expect((await changes({ nodes: mixed })).map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "create image talos-v1.13.9-amd64-ce4c9805",
    "create machine gpu-1",
  ]);
});

const dual = {
  network: {
    ...FOUR,
    second: { cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1" },
    nameservers: ["10.10.0.1", "fd00:10::1"],
  },
  nodes: [testNode({ name: "cp-1", role: "controlplane", ip: "10.10.0.11", secondIp: "fd00:10::11" })],
};
const six = {
  network: { ...FOUR, cidr: "fd00:10::/64", prefix: 64, gateway: "fd00:10::1", nameservers: ["fd00:10::1"] },
  nodes: [testNode({ name: "cp-1", role: "controlplane", ip: "fd00:10::11" })],
};

test.each([
  ["both families", dual, "ip=10.10.0.11/24,gw=10.10.0.1,ip6=fd00:10::11/64,gw6=fd00:10::1", "10.10.0.1 fd00:10::1"],
  ["IPv6 alone", six, "ip6=fd00:10::11/64,gw6=fd00:10::1", "fd00:10::1"],
])("Proxmox's cloud-init carries %s, and the second plan is empty", async (_, wishes, ipconfig0, nameserver) => {
  await up(wishes);
  const [vm] = Object.values(proxmoxState(lab).vms);
  expect(vm?.config).toMatchObject({ ipconfig0, nameserver });
  expect(await changes(wishes)).toEqual([]);
});

test("a second address that was given later is added to the machine, not a reason for another one", async () => {
  await up({ ...dual, nodes: dual.nodes.map(({ secondIp: _, ...node }) => node) });
  expect(await changes(dual)).toEqual([
    'update machine cp-1 address "10.10.0.11/24 via 10.10.0.1" → "10.10.0.11/24 via 10.10.0.1, fd00:10::11/64 via fd00:10::1"',
  ]);
});
