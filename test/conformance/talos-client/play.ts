// A lab with three control planes and a worker in maintenance mode, and a client that nobody here wrote: `play.mjs ORACLE VERSION`.

import { TalosBench } from "@talosmith/lab/talos/testing/bench.ts";
import type { ClientIdentity, TestCluster } from "@talosmith/lab/talos/testing/configs.ts";
import { releaseOf } from "@talosmith/lab/talos/versions.ts";
import { stringify } from "yaml";
// @ts-expect-error: plain JavaScript, which says nothing about its types.
import { execute } from "../execute.js";
import { neverSeen } from "./coverage.ts";
import { wrongConfigs } from "./wrong-configs.ts";

const [oracle = "", talos = ""] = process.argv.slice(2);
const MACHINES = [
  { vmid: 101, last: 11, name: "cp-1", role: "controlplane" },
  { vmid: 102, last: 12, name: "cp-2", role: "controlplane" },
  { vmid: 103, last: 13, name: "cp-3", role: "controlplane" },
  { vmid: 201, last: 21, name: "worker-1", role: "worker" },
] as const;

const base64 = (text: string) => Buffer.from(text).toString("base64");

function talosconfig({ ca, certificate, key }: ClientIdentity): string {
  const pem = key.replaceAll("PRIVATE KEY", "ED25519 PRIVATE KEY");
  const context = { endpoints: [], ca: base64(ca), crt: base64(certificate), key: base64(pem) };
  return stringify({ context: "test", contexts: { test: context } });
}

const document = (kind: string, fields: object) => ({ apiVersion: "v1alpha1", kind, ...fields });

/** Links, volumes and keys that not every machine has: they must be told of in the right way, too. */
const MORE = [
  document("VLANConfig", { name: "eth0.7", vlanID: 7, parent: "eth0" }),
  document("DummyLinkConfig", { name: "dummy7" }),
  document("BondConfig", { name: "bond7", links: ["dummy7"], bondMode: "active-backup" }),
  document("VolumeConfig", { name: "EPHEMERAL", encryption: { provider: "luks2", keys: [{ slot: 0, nodeID: {} }] } }),
  document("UserVolumeConfig", {
    name: "models",
    provisioning: { diskSelector: { match: 'disk.transport == "nvme"' }, minSize: "1GiB" },
  }),
];

async function machines(bench: TalosBench, cluster: TestCluster) {
  const found = [];
  for (const { vmid, last, name, role } of MACHINES) {
    const address = await bench.machine(vmid, last, { version: talos });
    const { hardware } = await bench.eventually(() => bench.state.machines[`vm ${vmid}`] ?? Promise.reject(new Error("not on")));
    found.push({
      address,
      uuid: hardware.uuid,
      mac: hardware.links[0]?.mac,
      name,
      worker: role === "worker",
      // The others get theirs as Talos itself generates them, in the form of its release.
      ...((name === "cp-1" || role === "worker") && { config: cluster.config(role, name, role === "worker" ? MORE : []) }),
      labelled: cluster.config(role, name, [], (main) => {
        main.machine.nodeLabels = { ...main.machine.nodeLabels, tier: "general" };
        // Talos has a warning for this.
        main.machine.install.extensions = [{ image: "ghcr.io/siderolabs/gvisor:20260101.0" }];
      }),
      filed: cluster.config(role, name, [], (main) => {
        main.machine.files = [{ path: "/var/x", content: "x", permissions: 420, op: "create" }];
      }),
    });
  }
  return found;
}

/** etcd runs out of space, once, as soon as there is one. */
async function raiseAlarm(bench: TalosBench): Promise<void> {
  await bench.eventually(() => {
    const [cluster] = Object.values(bench.state.etcd);
    const [member] = cluster?.members ?? [];
    if (!cluster || !member) throw new Error("there is no etcd");
    cluster.alarms = { [member.id]: "NOSPACE" };
  }, 60);
}

/** As if the first machine's config had come on its disk, as soon as it has one. */
async function addConfigVolume(bench: TalosBench): Promise<void> {
  await bench.eventually(() => {
    const written = bench.state.disks[bench.state.machines["vm 101"]?.boot?.disk ?? ""];
    if (!written) throw new Error("there is no disk");
    written.configVolume = { index: 5, bytes: 1024 ** 2 };
  }, 60);
}

const SHUTDOWN = { service: "talos", site: "/machine.MachineService/Shutdown", occurrence: 1 };

const bench = await TalosBench.open({ timeScale: 200 });
try {
  bench.lab.setFaults([{ ...SHUTDOWN, fault: { kind: "task-error", message: "the disk is busy" } }]);
  const cluster = bench.cluster("test", undefined, talos);
  const scene = {
    talos,
    kubernetes: releaseOf(talos).kubernetes.replace(/^v/, ""),
    cluster: cluster.name,
    endpoint: cluster.endpoint,
    minor: Number(/^v1\.(\d+)/.exec(talos)?.[1]),
    talosconfig: talosconfig(cluster.client()),
    reader: talosconfig(cluster.client(["os:reader"])),
    machines: await machines(bench, cluster),
    wrong: wrongConfigs(cluster),
    nobody: bench.lab.address.host(99),
  };
  const playing = execute(oracle, [], { input: JSON.stringify(scene) });
  await Promise.race([raiseAlarm(bench).then(() => addConfigVolume(bench)), playing]);
  const { checks, resources, seen } = JSON.parse(await playing);
  const { missing, reached } = neverSeen(seen, scene.minor);
  if (missing.length > 0) throw new Error(`neither sent nor received: ${missing.join(", ")}`);
  if (reached.length > 0) throw new Error(`sent or received after all: ${reached.join(", ")}`);
  console.log(`${checks} checks, ${resources} resources`);
} finally {
  await bench.close();
}
