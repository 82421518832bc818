import { Code, ConnectError } from "@connectrpc/connect";
import { TalosmithError } from "@talosmith/lib/errors.ts";
import { describe, expect, test } from "vitest";
import { talosNodes } from "./client.ts";
import type { TalosNode } from "./talos-node.ts";
import { bundleWith, nodeIdentity } from "./testing/fake-node.ts";
import {
  ADDRESS,
  CONFIG,
  failure,
  network,
  nodes,
  nodeThat,
  open,
  ours,
  signal,
  useOneNode,
  version,
} from "./testing/one-node.ts";

useOneNode();

describe("a call that fails", () => {
  const apply = (node: TalosNode) => node.apply(CONFIG, "auto", signal);
  const bootstrap = (node: TalosNode) => node.bootstrap(signal);
  const read = (node: TalosNode) => node.version(signal);

  // docs/facts/talos.md#error-codes
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
    const error = await failure(node.apply(CONFIG, "no-reboot", signal));
    expect(error.detail).toBe("InvalidArgument: this config change can't be applied in immediate mode");
  });

  test("without a connection the error says that nothing listens, and is transient", async () => {
    expect(await failure(nodes.node(ADDRESS).version(signal))).toMatchObject({
      code: "TALOS_UNAVAILABLE",
      detail: "nothing listens there",
      transient: true,
    });
  });

  test("without secrets a call fails with their problem, and works once they exist", async () => {
    await network.node(ADDRESS, await nodeIdentity(network.real, ours, ADDRESS), { machine: { version } });
    const missing = new TalosmithError("user", "NO_SECRETS", { message: "There is no secrets.yaml" });
    let made = false;
    const newcomer = talosNodes(network.world, () => {
      if (!made) throw missing;
      return bundleWith(ours);
    });
    expect(await failure(newcomer.node(ADDRESS).version(signal))).toBe(missing);
    made = true;
    expect(await newcomer.node(ADDRESS).version(signal)).toEqual({ version: "v1.13.9", platform: "nocloud", mode: "" });
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

  test("is given more time for what takes longer", async () => {
    open(60);
    const never = () => new Promise<never>(() => {});
    const node = await nodeThat({
      machine: { bootstrap: never, applyConfiguration: never, etcdLeaveCluster: never, reboot: never },
    });
    const calls = [node.bootstrap(signal), node.apply(CONFIG, "auto", signal), node.leaveEtcd(signal), node.reboot(signal)];
    const details = await Promise.all(calls.map(async (call) => (await failure(call)).detail));
    expect(details).toEqual([20, 60, 60, 10].map((seconds) => `DeadlineExceeded: no answer within ${seconds} s`));
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
