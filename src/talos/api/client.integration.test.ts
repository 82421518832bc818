import { createHash, X509Certificate } from "node:crypto";
import { createServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ApplyConfigurationRequest_Mode as Mode } from "@talosmith/wire/gen/machine/machine_pb.js";
import { MachineConfigSpecSchema } from "@talosmith/wire/gen/resource/definitions/config/config_pb.js";
import { describe, expect, test } from "vitest";
import { authority, type Handlers, maintenanceIdentity, nodeIdentity } from "./testing/fake-node.ts";
import { ADDRESS, CONFIG, failure, network, nodes, nodeThat, ours, signal, useOneNode, version } from "./testing/one-node.ts";

useOneNode();

describe("who is spoken to", () => {
  test("our certificate says administrator, is for clients only, and comes from the cluster's CA", async () => {
    await (await nodeThat({ machine: { version } })).version(signal);
    const certificate = new X509Certificate(network.dialled[0]?.tls?.certificate ?? "");
    // docs/facts/talos.md#client-certificates; 1.3.6.1.5.5.7.3.2 is clientAuth.
    expect(certificate.subject).toBe("O=os:admin");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.checkIssued(new X509Certificate(ours.certificate))).toBe(true);
    expect(certificate.verify(new X509Certificate(ours.certificate).publicKey)).toBe(true);
  });

  test("a node of another cluster is sent nothing", async () => {
    let asked = 0;
    const other = await authority(network.real);
    await network.node(ADDRESS, await nodeIdentity(network.real, other, ADDRESS), {
      machine: {
        version: () => {
          asked++;
          return version();
        },
      },
    });
    expect(await failure(nodes.node(ADDRESS).version(signal))).toMatchObject({ code: "TALOS_STRANGER", transient: false });
    expect(asked).toBe(0);
  });

  test("a node at an address that is not in its certificate gets an error that says so", async () => {
    await network.node(ADDRESS, await nodeIdentity(network.real, ours, "10.10.0.99"), { machine: { version } });
    expect(await failure(nodes.node(ADDRESS).version(signal))).toMatchObject({
      code: "TALOS_WRONG_NAME",
      hint: expect.stringContaining("certSANs"),
    });
  });

  test("a waiting node whose key has changed gets not a single byte of the config", async () => {
    const { certificate, key } = await maintenanceIdentity(network.real, ADDRESS);
    const hash = createHash("sha256").update(new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" }));
    let received = 0;
    let heard: () => void = () => {};
    const server = createServer({ cert: certificate, key, ALPNProtocols: ["h2"] }, (socket) => {
      socket.on("error", () => {});
      socket.on("data", (data) => {
        received += data.length;
        heard();
      });
    });
    const ended: Promise<unknown>[] = [];
    await network.plain(ADDRESS, (socket) => {
      ended.push(new Promise((resolve) => socket.once("close", resolve)));
      server.emit("connection", socket);
    });
    const error = await failure(nodes.waiting(ADDRESS, "the hash of another key").apply(CONFIG, signal));
    expect(error).toMatchObject({ code: "TALOS_OTHER_KEY", message: `Unable to apply the machine config on ${ADDRESS}` });
    await Promise.all(ended);
    expect([ended.length, received]).toEqual([1, 0]);

    // With the right key the same server receives data.
    const off = new AbortController();
    heard = () => off.abort(new Error("heard"));
    await expect(nodes.waiting(ADDRESS, hash.digest("base64")).apply(CONFIG, off.signal)).rejects.toThrow("heard");
    expect(received).toBeGreaterThan(0);
  });
});

describe("a node that waits", () => {
  async function waiting(handlers: Handlers) {
    await network.node(ADDRESS, await maintenanceIdentity(network.real, ADDRESS), handlers);
    const answering = await nodes.probe(ADDRESS, signal);
    if (answering.is !== "waiting") throw new Error(`it is ${answering.is}`);
    return nodes.waiting(ADDRESS, answering.key);
  }

  test("takes the whole config in mode AUTO, the only one every version takes", async () => {
    const seen: unknown[] = [];
    const node = await waiting({
      machine: {
        applyConfiguration: ({ data, mode }) => {
          seen.push([new TextDecoder().decode(data), mode]);
          return { messages: [{ warnings: ["use a newer field"] }] };
        },
      },
    });
    expect(await node.apply(CONFIG, signal)).toEqual({ warnings: ["use a newer field"] });
    expect(seen).toEqual([["machine: {}\n", Mode.AUTO]]);
  });

  test("tells its version through COSI, because 1.12 has no other way", async () => {
    const node = await waiting({
      state: {
        get: ({ type, id }) => {
          if (type !== "Versions.runtime.talos.dev") throw new ConnectError("no", Code.PermissionDenied);
          return { resource: { metadata: { type, id }, spec: { yamlSpec: "version: v1.12.4\n" } } };
        },
      },
    });
    expect(await node.version(signal)).toBe("v1.12.4");
  });

  test("tells its architecture where it can, and before 1.13 nothing", async () => {
    const node = await waiting({ machine: { version: () => ({ messages: [{ version: { tag: "v1.13.9", arch: "arm64" } }] }) } });
    expect(await node.arch(signal)).toBe("arm64");
    const refusal = new ConnectError("API is not implemented in maintenance mode", Code.Unimplemented);
    const older = await waiting({ machine: { version: () => Promise.reject(refusal) } });
    expect(await older.arch(signal)).toBeUndefined();
  });

  test("tells its hardware: the machine's UUID, physical links, and disks that can be installed to", async () => {
    // Field names as in Talos' resource definitions: yaml tags of LinkStatusSpec, DiskSpec and SystemInformationSpec.
    const lists: Record<string, [string, string][]> = {
      "LinkStatuses.net.talos.dev": [
        ["lo", "type: loopback\nkind: ''\nhardwareAddr: 00:00:00:00:00:00\n"],
        ["ens18", "type: ether\nkind: ''\nhardwareAddr: bc:24:11:00:00:0a\npermanentAddr: bc:24:11:00:00:01\n"],
        ["bond0", "type: ether\nkind: bond\nhardwareAddr: bc:24:11:00:00:0a\n"],
      ],
      "Disks.block.talos.dev": [
        ["loop0", "dev_path: /dev/loop0\nsize: 75000000\nreadonly: true\ncdrom: false\n"],
        ["sr0", "dev_path: /dev/sr0\nsize: 400000000\nreadonly: true\ncdrom: true\n"],
        ["sda", "dev_path: /dev/sda\nsize: 42949672960\nreadonly: false\ncdrom: false\nserial: drive-scsi0\n"],
      ],
    };
    const node = await waiting({
      state: {
        get: ({ type, id }) => ({
          resource: { metadata: { type, id }, spec: { yamlSpec: "uuid: 4C4C4544-0043-3510-8056-B4C04F595031\n" } },
        }),
        async *list({ type }) {
          for (const [id, yamlSpec] of lists[type] ?? []) yield { resource: { metadata: { type, id }, spec: { yamlSpec } } };
        },
      },
    });
    expect(await node.hardware(signal)).toEqual({
      uuid: "4c4c4544-0043-3510-8056-b4c04f595031",
      macs: ["BC:24:11:00:00:01"],
      disks: [{ path: "/dev/sda", size: 42949672960, serial: "drive-scsi0", readonly: false }],
    });
  });
});

describe("a node of this cluster", () => {
  test("gives its config back byte by byte, from the message and not from the YAML around it", async () => {
    const config = "machine:\n    type: worker # as submitted\n---\nkind: HostnameConfig\n";
    const specOf = (text: string) => {
      const yamlMarshalled = new TextEncoder().encode(text);
      return {
        protoSpec: toBinary(MachineConfigSpecSchema, create(MachineConfigSpecSchema, { yamlMarshalled })),
        yamlSpec: "|\n  x",
      };
    };
    const node = await nodeThat({
      state: {
        async *list({ type }) {
          yield { resource: { metadata: { type, id: "persistent" }, spec: specOf("machine: {}\n") } };
          yield { resource: { metadata: { type, id: "v1alpha1" }, spec: specOf(config) } };
        },
      },
    });
    const { running, stored } = await node.machineConfigs(signal);
    expect([running.text, stored.text]).toEqual([config, "machine: {}\n"]);
  });

  test("has no such resource: that is an answer, not an error", async () => {
    const get = () => {
      throw new ConnectError("resource Nodenames.kubernetes.talos.dev(k8s/nodename@undefined) doesn't exist", Code.NotFound);
    };
    const node = await nodeThat({ state: { get } });
    const of = { namespace: "k8s", type: "Nodenames.kubernetes.talos.dev", id: "nodename" };
    expect(await node.resource(of, signal)).toBeUndefined();
  });

  test("lists resources with what their YAML says", async () => {
    const node = await nodeThat({
      state: {
        async *list({ type }) {
          const metadata = { type, id: "default", version: "3", phase: "running" };
          yield { resource: { metadata, spec: { yamlSpec: "addresses:\n    - 10.10.0.11/24\n" } } };
        },
      },
    });
    expect(await node.resources({ namespace: "network", type: "NodeAddresses.net.talos.dev" }, signal)).toEqual([
      { id: "default", version: "3", phase: "running", spec: { addresses: ["10.10.0.11/24"] } },
    ]);
  });

  // The texts are those of ApplyConfiguration in Talos 1.13.9.
  test.each([
    [
      "reboots",
      {
        mode: Mode.REBOOT,
        modeDetails:
          "Applied configuration with a reboot: this config change can't be applied in immediate mode\ndiff:\n-    token: abc\n+    token: def",
      },
      true,
    ],
    ["stays up", { mode: Mode.NO_REBOOT, modeDetails: "Applied configuration without a reboot" }, false],
    ["says nothing about the mode", { modeDetails: "" }, false],
  ])("that %s after a config in mode auto is reported so, without the diff, which holds secrets", async (_, reply, rebooting) => {
    const node = await nodeThat({ machine: { applyConfiguration: () => ({ messages: [reply] }) } });
    const answer = await node.apply(CONFIG, "auto", signal);
    expect(answer.rebooting).toBe(rebooting);
    expect(answer.details).not.toContain("token");
  });

  test("answers with a kubeconfig in a tar that it never finishes", async () => {
    const kubeconfig = "apiVersion: v1\nkind: Config\n# ünïcode\n";
    const archive = gzipSync(Buffer.concat([tarHeader("kubeconfig", Buffer.byteLength(kubeconfig)), Buffer.from(kubeconfig)]));
    const node = await nodeThat({
      machine: {
        async *kubeconfig() {
          yield { bytes: archive.subarray(0, 50) };
          yield { bytes: archive.subarray(50) };
        },
      },
    });
    expect(await node.kubeconfig(signal)).toBe(kubeconfig);
  });

  test("shows each service with what is wrong, or what it waits for", async () => {
    const node = await nodeThat({
      machine: {
        serviceList: () => ({
          messages: [
            {
              services: [
                { id: "etcd", state: "Preparing", health: { unknown: true }, events: { events: [{ msg: "Running pre state" }] } },
                {
                  id: "kubelet",
                  state: "Running",
                  health: { healthy: false, lastMessage: "connection refused" },
                  events: { events: [{ msg: "Started task kubelet" }] },
                },
              ],
            },
          ],
        }),
      },
    });
    expect(await node.services(signal)).toEqual([
      { id: "etcd", state: "Preparing", healthy: undefined, message: "Running pre state" },
      { id: "kubelet", state: "Running", healthy: false, message: "connection refused" },
    ]);
  });

  test("asks the etcd of the node itself for the members, not the cluster's endpoints", async () => {
    const asked: boolean[] = [];
    const node = await nodeThat({
      machine: {
        etcdMemberList: ({ queryLocal }) => {
          asked.push(queryLocal);
          return { messages: [{}] };
        },
      },
    });
    await node.etcdMembers(signal);
    expect(asked).toEqual([true]);
  });

  test("keeps all 64 bits of a member's id", async () => {
    const members = [{ id: 18446744073709551615n, hostname: "cp-1", peerUrls: ["https://10.10.0.11:2380"], isLearner: true }];
    const node = await nodeThat({ machine: { etcdMemberList: () => ({ messages: [{ members }] }) } });
    expect(await node.etcdMembers(signal)).toEqual(members);
  });

  test("a member of etcd is removed by its whole id, and one that is gone already is fine", async () => {
    const removed: bigint[] = [];
    const node = await nodeThat({
      machine: {
        etcdRemoveMemberByID: ({ memberId }) => {
          if (removed.includes(memberId)) throw new ConnectError("etcdserver: member not found", Code.Unknown);
          removed.push(memberId);
          return { messages: [{}] };
        },
      },
    });
    await node.removeEtcdMember(18446744073709551615n, signal);
    await node.removeEtcdMember(18446744073709551615n, signal);
    expect(removed).toEqual([18446744073709551615n]);
  });

  test("a member that etcd does not let go says so", async () => {
    const text = "failed to leave cluster: etcdserver: re-configuration failed due to not enough started members";
    const refuse = () => {
      throw new ConnectError(text, Code.Unknown);
    };
    const node = await nodeThat({ machine: { etcdLeaveCluster: refuse } });
    await expect(node.leaveEtcd(signal)).rejects.toMatchObject({ code: "TALOS_REFUSED", detail: expect.stringContaining(text) });
  });

  test.each([
    ["nothing but the folder itself", ["."], false],
    ["etcd's files", [".", "member"], true],
  ])("that lists %s tells whether there is etcd data", async (_, names, expected) => {
    const node = await nodeThat({
      machine: {
        async *list() {
          for (const relativeName of names) yield { relativeName };
        },
      },
    });
    expect(await node.hasEtcdData(signal)).toBe(expected);
  });

  test("without the folder there is no etcd data", async () => {
    const list = () => {
      throw new ConnectError("lstat /var/lib/etcd: no such file or directory", Code.Unknown);
    };
    expect(await (await nodeThat({ machine: { list } })).hasEtcdData(signal)).toBe(false);
  });

  test("is reset to maintenance mode: its state goes, its system stays", async () => {
    const seen: unknown[] = [];
    const node = await nodeThat({
      machine: {
        reset: ({ graceful, reboot, systemPartitionsToWipe }) => {
          seen.push({ graceful, reboot, wiped: systemPartitionsToWipe.map(({ label, wipe }) => [label, wipe]) });
          return { messages: [{ actorId: "1" }] };
        },
      },
    });
    await node.reset({ graceful: false, reboot: true }, signal);
    expect(seen).toEqual([
      {
        graceful: false,
        reboot: true,
        wiped: [
          ["STATE", true],
          ["EPHEMERAL", true],
        ],
      },
    ]);
  });
});

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  return header;
}
