import { createHash, X509Certificate } from "node:crypto";
import { createServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ApplyConfigurationRequest_Mode as Mode } from "../../../gen/machine/machine_pb.js";
import { MachineConfigSpecSchema } from "../../../gen/resource/definitions/config/config_pb.js";
import { TalosmithError } from "../../lib/errors.ts";
import type { Authority } from "../secrets/bundle.ts";
import { talosNodes } from "./client.ts";
import type { TalosNode } from "./talos-node.ts";
import type { TalosNodes } from "./talos-nodes.ts";
import { authority, bundleWith, FakeNetwork, type Handlers, maintenanceIdentity, nodeIdentity } from "./testing/fake-node.ts";

const ADDRESS = "10.10.0.11";
const { signal } = new AbortController();
let network: FakeNetwork;
let nodes: TalosNodes;
let ours: Authority;

beforeAll(async () => {
  ours = await authority(new FakeNetwork().real);
});

beforeEach(() => open());

afterEach(async () => {
  nodes.close();
  await network.close();
});

function open(timeScale = 1): void {
  network = new FakeNetwork(timeScale);
  nodes = talosNodes(network.world, () => bundleWith(ours));
}

async function nodeThat(handlers: Handlers): Promise<TalosNode> {
  await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), handlers);
  return nodes.node(ADDRESS);
}

async function failure(of: Promise<unknown>): Promise<TalosmithError> {
  const error = await of.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (!(error instanceof TalosmithError)) throw new Error(`expected a TalosmithError, got ${error}`);
  return error;
}

const version = () => ({ messages: [{ version: { tag: "v1.13.9" }, platform: { name: "nocloud" } }] });

describe("who is spoken to", () => {
  test("our certificate says administrator, is for clients only, and comes from the cluster's CA", async () => {
    await (await nodeThat({ machine: { version } })).version(signal);
    const certificate = new X509Certificate(network.dialled[0]?.tls?.certificate ?? "");
    // talos.md 1.4; 1.3.6.1.5.5.7.3.2 is clientAuth.
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

  test("a node of ours at an address that is not in its certificate is named as such", async () => {
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
    const error = await failure(nodes.waiting(ADDRESS, "the hash of another key").apply("machine: {}", signal));
    expect(error).toMatchObject({ code: "TALOS_OTHER_KEY", message: `Unable to apply the machine config on ${ADDRESS}` });
    await Promise.all(ended);
    expect([ended.length, received]).toEqual([1, 0]);

    // With the right key the same server does get to read something.
    const off = new AbortController();
    heard = () => off.abort(new Error("heard"));
    await expect(nodes.waiting(ADDRESS, hash.digest("base64")).apply("machine: {}", off.signal)).rejects.toThrow("heard");
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
    expect(await node.apply("machine: {}\n", signal)).toEqual({ warnings: ["use a newer field"] });
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

describe("a node of ours", () => {
  test("gives its config back byte by byte, from the message and not from the YAML around it", async () => {
    const config = "machine:\n    type: worker # as submitted\n---\nkind: HostnameConfig\n";
    const protoSpec = toBinary(
      MachineConfigSpecSchema,
      create(MachineConfigSpecSchema, { yamlMarshalled: new TextEncoder().encode(config) }),
    );
    const node = await nodeThat({
      state: { get: ({ type, id }) => ({ resource: { metadata: { type, id }, spec: { protoSpec, yamlSpec: "|\n  other" } } }) },
    });
    expect(await node.machineConfig(signal)).toBe(config);
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
    const answer = await node.apply("machine: {}", "auto", signal);
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

describe("a call that fails", () => {
  const apply = (node: TalosNode) => node.apply("machine: {}", "auto", signal);
  const bootstrap = (node: TalosNode) => node.bootstrap(signal);
  const read = (node: TalosNode) => node.version(signal);

  // talos.md 4.3.
  test.each([
    [Code.Unavailable, "connection error", read, "TALOS_UNAVAILABLE", true],
    [Code.FailedPrecondition, "bootstrap is not available yet", bootstrap, "TALOS_NOT_READY", true],
    [Code.FailedPrecondition, "time is not in sync yet", bootstrap, "TALOS_NOT_READY", true],
    [Code.FailedPrecondition, "bootstrap can only be performed on a control plane node", bootstrap, "TALOS_REFUSED", false],
    [Code.AlreadyExists, "etcd data directory is not empty", bootstrap, "TALOS_ALREADY_BOOTSTRAPPED", false],
    [Code.FailedPrecondition, "another apply configuration is already in progress", apply, "TALOS_NOT_READY", true],
    [Code.InvalidArgument, "configuration validation failed: 1 error occurred", apply, "TALOS_CONFIG_INVALID", false],
    [Code.Unknown, "failed to parse config: unknown keys found", apply, "TALOS_CONFIG_INVALID", false],
    [Code.Unimplemented, "the REBOOT mode is not supported", apply, "TALOS_REFUSED", false],
    [Code.PermissionDenied, "not authorized", read, "TALOS_DENIED", false],
    [Code.Unknown, "context deadline exceeded", read, "TALOS_UNAVAILABLE", true],
    [Code.Unknown, "error reading from server: EOF", bootstrap, "TALOS_UNAVAILABLE", true],
    [Code.Unknown, "something broke", bootstrap, "TALOS_REFUSED", false],
  ])("with %i %s", async (code, text, call, expected, transient) => {
    const refuse = () => {
      throw new ConnectError(text, code);
    };
    const node = await nodeThat({ machine: { version: refuse, bootstrap: refuse, applyConfiguration: refuse } });
    const error = await failure(call(node));
    expect({ code: error.code, transient: error.transient, detail: error.detail }).toEqual({
      code: expected,
      transient,
      detail: `${Code[code]}: ${text}`,
    });
    expect(error.message).toMatch(/^Unable to .* on 10\.10\.0\.11$/);
  });

  test("inside a reply that is fine otherwise fails all the same", async () => {
    const metadata = { error: "rpc error", status: { code: Code.PermissionDenied, message: "not authorized" } };
    const node = await nodeThat({ machine: { version: () => ({ messages: [{ metadata }] }) } });
    expect(await failure(node.version(signal))).toMatchObject({
      code: "TALOS_DENIED",
      detail: "PermissionDenied: not authorized",
    });
  });

  test("inside a stream fails all the same", async () => {
    const node = await nodeThat({
      machine: {
        async *kubeconfig() {
          yield { metadata: { error: "no such cluster" } };
        },
      },
    });
    expect(await failure(node.kubeconfig(signal))).toMatchObject({ detail: "Unknown: no such cluster" });
  });

  test("never shows the diff of two configs, because configs hold secrets", async () => {
    const node = await nodeThat({
      machine: {
        applyConfiguration: () => {
          throw new ConnectError(
            "this config change can't be applied in immediate mode\ndiff:\n-  token: abc",
            Code.InvalidArgument,
          );
        },
      },
    });
    const error = await failure(node.apply("machine: {}", "no-reboot", signal));
    expect(error.detail).toBe("InvalidArgument: this config change can't be applied in immediate mode");
  });

  test("without a connection says that nothing listens, and may be tried again", async () => {
    expect(await failure(nodes.node(ADDRESS).version(signal))).toMatchObject({
      code: "TALOS_UNAVAILABLE",
      detail: "nothing listens there",
      transient: true,
    });
  });

  test("without secrets fails with what is wrong with them, and works once they are there", async () => {
    await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), { machine: { version } });
    const missing = new TalosmithError("user", "NO_SECRETS", { message: "There is no secrets.yaml" });
    let made = false;
    const newcomer = talosNodes(network.world, () => {
      if (!made) throw missing;
      return bundleWith(ours);
    });
    expect(await failure(newcomer.node(ADDRESS).version(signal))).toBe(missing);
    made = true;
    expect(await newcomer.node(ADDRESS).version(signal)).toEqual({ version: "v1.13.9", platform: "nocloud" });
    newcomer.close();
  });
});

describe("the connection", () => {
  test("is one for many calls, and every call is counted", async () => {
    const node = await nodeThat({ machine: { version } });
    await Promise.all([node.version(signal), node.version(signal), nodes.node(ADDRESS).version(signal)]);
    expect(network.dialled.length).toBe(1);
    expect(nodes.calls()).toBe(3);
  });

  test("that was cut in the middle of a call is lost, and the next call dials again", async () => {
    const identity = await nodeIdentity(network.real, ours, ADDRESS);
    let asked: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const hang = () => {
      asked();
      return new Promise<never>(() => {});
    };
    const listener = await network.node(ADDRESS, identity, { machine: { version: hang } });
    const node = nodes.node(ADDRESS);
    const lost = failure(node.version(signal));
    await begun;
    await listener.close();
    expect(await lost).toMatchObject({ code: "TALOS_UNAVAILABLE", transient: true });
    await network.node(ADDRESS, identity, { machine: { version } });
    expect(await node.version(signal)).toMatchObject({ version: "v1.13.9" });
  });

  test("to a node that never answers is given up after ten seconds, and a new one is made", async () => {
    open(10);
    let answers = false;
    const node = await nodeThat({ machine: { version: () => (answers ? version() : new Promise(() => {})) } });
    expect(await failure(node.version(signal))).toMatchObject({
      code: "TALOS_UNAVAILABLE",
      detail: "DeadlineExceeded: no answer within 10 s",
      transient: true,
    });
    answers = true;
    await node.version(signal);
    expect(network.dialled.length).toBe(2);
    nodes.close();
    expect(network.sockets.map((socket) => socket.destroyed)).toEqual([true, true]);
  });

  test("that a node ended is not used for the call right after", async () => {
    let reboots = 0;
    const node = await nodeThat({
      machine: {
        version,
        reboot: () => {
          reboots++;
          for (const socket of network.sockets) socket.destroy();
          return new Promise<never>(() => {});
        },
      },
    });
    await failure(node.reboot(signal));
    expect(await node.version(signal)).toMatchObject({ version: "v1.13.9" });
    expect([reboots, network.dialled.length]).toEqual([1, 2]);
  });

  test("gives a call time of day, however fast the clock runs", async () => {
    open(2000);
    const node = await nodeThat({
      machine: {
        version: async () => {
          await network.real.clock.sleep(200 * 2000);
          return version();
        },
      },
    });
    expect(await node.version(signal)).toMatchObject({ version: "v1.13.9" });
  });

  test("takes a call that is called off, and stays for others", async () => {
    let asked: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const node = await nodeThat({
      machine: {
        version,
        bootstrap: () => {
          asked();
          return new Promise(() => {});
        },
      },
    });
    const off = new AbortController();
    const calling = node.bootstrap(off.signal);
    await begun;
    off.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    await node.version(signal);
    expect(network.dialled.length).toBe(1);
  });
});

/** POSIX ustar: name at 0, size in octal at 124. */
function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  return header;
}
