import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { EventType } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import {
  AddressEventSchema,
  ConfigValidationErrorEventSchema,
  MachineStatusEventSchema,
  PhaseEventSchema,
  RestartEventSchema,
  SequenceEventSchema,
  ServiceStateEventSchema,
  TaskEventSchema,
} from "@talosmith/wire/gen/machine/machine_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ADDRESS, failure, network, nodes, nodeThat, open, signal, useOneNode, version } from "./testing/one-node.ts";

useOneNode();

const NODE_STATUS = { namespace: "runtime", type: "MachineStatuses.runtime.talos.dev" };

/** As events.go of Talos packs them: the type's name after "talos/runtime/". */
function event<M extends DescMessage>(id: string, schema: M, init: MessageInitShape<M>) {
  const data = { typeUrl: `talos/runtime/${schema.typeName}`, value: toBinary(schema, create(schema, init)) };
  return { id, actorId: "actor", data };
}

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const one of of) seen.push(one);
  return seen;
}

test("the events of a node are decoded, without the empty first one", async () => {
  const asked: unknown[] = [];
  const node = await nodeThat({
    machine: {
      async *events({ tailEvents, tailId, withActorId }) {
        asked.push({ tailEvents, tailId, withActorId });
        yield { id: "", actorId: withActorId };
        yield event("1", SequenceEventSchema, { sequence: "reboot", action: 0, error: { code: 1, message: "locked" } });
        yield event("2", PhaseEventSchema, { phase: "stopServices", action: 1 });
        yield event("3", TaskEventSchema, { task: "stopAll", action: 0 });
        yield event("4", ServiceStateEventSchema, { service: "etcd", action: 8, message: "Starting", health: { unknown: true } });
        yield event("5", MachineStatusEventSchema, {
          stage: 6,
          status: { ready: false, unmetConditions: [{ name: "services", reason: "etcd not healthy" }] },
        });
        yield event("6", AddressEventSchema, { hostname: "cp-1", addresses: ["10.10.0.11"] });
        yield event("7", ConfigValidationErrorEventSchema, { error: "1 error occurred" });
        yield event("8", RestartEventSchema, { cmd: 19088743n });
        yield { id: "9", data: { typeUrl: "talos/runtime/machine.FutureEvent", value: new Uint8Array() } };
      },
    },
  });
  const [first, ...more] = await all(node.events({ tail: "all", after: "cbpd", actor: "actor" }, signal));
  expect(asked).toEqual([{ tailEvents: -1, tailId: "cbpd", withActorId: "actor" }]);
  expect(first).toEqual({
    id: "1",
    actor: "actor",
    is: "sequence",
    sequence: "reboot",
    action: "noop",
    error: { code: "locked", message: "locked" },
  });
  expect(more).toMatchObject([
    { is: "phase", phase: "stopServices", action: "stop" },
    { is: "task", task: "stopAll", action: "start" },
    { is: "service", service: "etcd", state: "Starting", healthy: undefined },
    { is: "status", stage: "shutting down", ready: false, unmet: [{ name: "services", reason: "etcd not healthy" }] },
    { is: "address", hostname: "cp-1", addresses: ["10.10.0.11"] },
    { is: "config refused", error: "1 error occurred" },
    { is: "restart", command: 19088743n },
    { is: "unknown", type: "machine.FutureEvent" },
  ]);
});

test("an event that does not match its type ends the stream with a TalosmithError", async () => {
  const node = await nodeThat({
    machine: {
      async *events() {
        yield {};
        yield { id: "1", data: { typeUrl: "talos/runtime/machine.PhaseEvent", value: Uint8Array.of(255, 255, 255) } };
      },
    },
  });
  expect(await failure(all(node.events({}, signal)))).toMatchObject({
    code: "TALOS_ANSWER",
    detail: "the answer cannot be read",
  });
});

test("a reader that stops ends the stream on the node too, and the connection stays", async () => {
  let ended: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const node = await nodeThat({
    machine: {
      version,
      async *events(_, context) {
        context.signal.addEventListener("abort", ended);
        yield {};
        for (let n = 0; ; n++) {
          yield event(String(n), PhaseEventSchema, { phase: "p" });
          await network.real.clock.sleep(5);
        }
      },
    },
  });
  for await (const one of node.events({}, signal)) if (one.id === "2") break;
  await over;
  await node.version(signal);
  expect(network.dialled.length).toBe(1);
});

test("a stream that is called off ends with the reason", async () => {
  const node = await nodeThat({
    machine: {
      async *events(_, context) {
        yield event("1", PhaseEventSchema, { phase: "p" });
        await network.real.clock.sleep(60_000, context.signal).catch(() => {});
      },
    },
  });
  const off = new AbortController();
  const reading = (async () => {
    for await (const one of node.events({}, off.signal)) if (one.id === "1") off.abort(new Error("enough"));
  })();
  await expect(reading).rejects.toThrow("enough");
});

test("a node that never begins to stream is given up after ten seconds", async () => {
  open(10);
  const node = await nodeThat({
    machine: {
      async *events(_, context) {
        await network.real.clock.sleep(600_000, context.signal).catch(() => {});
      },
    },
  });
  expect(await failure(all(node.events({}, signal)))).toMatchObject({
    code: "TALOS_UNAVAILABLE",
    detail: "DeadlineExceeded: no answer within 10 s",
    transient: true,
  });
});

test("a stream that the node ends with an error rejects with what it means", async () => {
  const node = await nodeThat({
    machine: {
      async *events() {
        yield {};
        throw new ConnectError("error reading from server: EOF", Code.Unknown);
      },
    },
  });
  expect(await failure(all(node.events({}, signal)))).toMatchObject({ code: "TALOS_UNAVAILABLE", transient: true });
});

test("an address without a server is an error, not an empty stream", async () => {
  expect(await failure(all(nodes.node(ADDRESS).events({}, signal)))).toMatchObject({
    code: "TALOS_UNAVAILABLE",
    message: `Unable to follow the events on ${ADDRESS}`,
  });
});

test("a log comes in lines, wherever its messages end", async () => {
  const text = Buffer.from("one\nzwölf\n\nlast");
  const asked: unknown[] = [];
  const node = await nodeThat({
    machine: {
      async *logs({ namespace, id, tailLines, follow }) {
        asked.push({ namespace, id, tailLines, follow });
        for (const byte of text) yield { bytes: Uint8Array.of(byte) };
      },
    },
  });
  expect(await all(node.logs({ service: "etcd" }, signal))).toEqual(["one", "zwölf", "", "last"]);
  // -1 is everything (docs/facts/talos.md#methods-and-roles).
  expect(asked).toEqual([{ namespace: "system", id: "etcd", tailLines: -1, follow: false }]);
});

test("no line of a log is lost or torn, whatever it says and however it is cut", async () => {
  let chunks: Uint8Array[] = [];
  const node = await nodeThat({
    machine: {
      async *logs() {
        for (const bytes of chunks) yield { bytes };
      },
    },
  });
  const line = fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => text.replaceAll("\n", ""));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
      const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(""));
      chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
      expect(await all(node.logs({ service: "etcd" }, signal))).toEqual(lines);
    }),
    { numRuns: 50 },
  );
});

test("the log of a service that is not there is refused for good", async () => {
  const logs = () => {
    throw new ConnectError('log "nothing" was not registered', Code.Unknown);
  };
  const node = await nodeThat({ machine: { logs } });
  expect(await failure(all(node.logs({ service: "nothing" }, signal)))).toMatchObject({
    code: "TALOS_REFUSED",
    message: `Unable to read the log of nothing on ${ADDRESS}`,
    transient: false,
  });
});

test("each message of the kernel's log is a line", async () => {
  const node = await nodeThat({
    machine: {
      async *dmesg() {
        yield { bytes: Buffer.from("kern:    info: [2026-11-15T10:00:00Z]: Linux version") };
        yield { bytes: Buffer.from("user: warning: [2026-11-15T10:00:01Z]: [talos] boot\n") };
      },
    },
  });
  expect(await all(node.dmesg({}, signal))).toEqual([
    "kern:    info: [2026-11-15T10:00:00Z]: Linux version",
    "user: warning: [2026-11-15T10:00:01Z]: [talos] boot",
  ]);
});

test("an error inside a stream that is fine otherwise fails it", async () => {
  const node = await nodeThat({
    machine: {
      async *dmesg() {
        yield { bytes: Buffer.from("one") };
        yield { metadata: { error: "rpc error", status: { code: Code.PermissionDenied, message: "not authorized" } } };
      },
    },
  });
  expect(await failure(all(node.dmesg({}, signal)))).toMatchObject({ code: "TALOS_DENIED" });
});

const status = (version: string, stage: string) => ({
  metadata: { ...NODE_STATUS, id: "machine", version, phase: "running" },
  spec: { yamlSpec: `stage: ${stage}\n` },
});

test("a watch of a kind tells what is there, that this was all, and then what changes", async () => {
  const asked: unknown[] = [];
  const node = await nodeThat({
    state: {
      async *watch({ id, options, apiVersion }) {
        asked.push({ id, contents: options?.bootstrapContents, apiVersion });
        yield {};
        yield { event: [{ eventType: EventType.CREATED, resource: status("1", "booting") }] };
        yield { event: [{ eventType: EventType.BOOTSTRAPPED }] };
        yield {
          event: [
            { eventType: EventType.UPDATED, resource: status("2", "running"), old: status("1", "booting") },
            { eventType: EventType.NOOP },
            { eventType: EventType.DESTROYED, resource: status("2", "running") },
          ],
        };
      },
    },
  });
  const resource = (version: string, stage: string) => ({ id: "machine", version, phase: "running", spec: { stage } });
  expect(await all(node.watch(NODE_STATUS, signal))).toEqual([
    { event: "created", resource: resource("1", "booting") },
    { event: "bootstrapped" },
    { event: "updated", resource: resource("2", "running") },
    { event: "destroyed", resource: resource("2", "running") },
  ]);
  expect(asked).toEqual([{ id: undefined, contents: true, apiVersion: 1 }]);
});

test("a watch of one resource that is not there begins with its absence", async () => {
  const node = await nodeThat({
    state: {
      async *watch({ id = "" }) {
        yield {};
        // A tombstone: metadata alone.
        yield {
          event: [{ eventType: EventType.DESTROYED, resource: { metadata: { ...NODE_STATUS, id, version: "undefined" } } }],
        };
      },
    },
  });
  expect(await all(node.watch({ ...NODE_STATUS, id: "machine" }, signal))).toEqual([
    { event: "destroyed", resource: { id: "machine", version: "undefined", phase: "", spec: null } },
  ]);
});

test("a watch that the node gives up may be begun again", async () => {
  const node = await nodeThat({
    state: {
      async *watch() {
        yield {};
        yield { event: [{ eventType: EventType.ERRORED, error: "buffer overrun: namespace runtime" }] };
      },
    },
  });
  expect(await failure(all(node.watch(NODE_STATUS, signal)))).toMatchObject({
    code: "TALOS_UNAVAILABLE",
    detail: "buffer overrun: namespace runtime",
    transient: true,
  });
});
