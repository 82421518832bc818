import { LabelTerm_Operation as Operation } from "@talosmith/wire/gen/cosi/resource/resource_pb.js";
import { type Event, EventType } from "@talosmith/wire/gen/cosi/resource/state_pb.js";
import { afterEach, expect, test } from "vitest";
import { refusalOf, TalosBench } from "../testing/bench.ts";
import type { TalosClient } from "../testing/client.ts";

let bench: TalosBench;
afterEach(() => bench?.close());

const SERVICES = { namespace: "runtime", type: "Services.v1alpha1.talos.dev" };
const VOLUMES = { namespace: "runtime", type: "VolumeStatuses.block.talos.dev" };

/** A control plane with a running kubelet. */
async function machine(): Promise<TalosClient> {
  bench = await TalosBench.open();
  const { client } = await bench.controlPlane(bench.cluster(), 101, 11);
  await bench.eventually(() => client.state.get({ ...SERVICES, id: "kubelet" }));
  return client;
}

/** The first events of a watch, with actions after some of them. */
async function first(
  client: TalosClient,
  request: Parameters<TalosClient["state"]["watch"]>[0],
  count: number,
  then: Record<number, () => Promise<unknown>> = {},
): Promise<Event[]> {
  const events: Event[] = [];
  for await (const { event } of client.state.watch({ ...request, apiVersion: 1 })) {
    events.push(...event);
    await then[events.length]?.();
    if (events.length >= count) break;
  }
  return events;
}

const told = (events: readonly Event[]) =>
  events.map(({ eventType, resource }) => [EventType[eventType], resource?.metadata?.id]);

// Behaviour of COSI's in-memory state: pkg/state/impl/inmem/collection.go.
test("a watch of one resource begins with its current state, and reports its deletion and re-creation", async () => {
  const client = await machine();
  const restart = () => client.machine.serviceRestart({ id: "kubelet" });
  const events = await first(client, { ...SERVICES, id: "kubelet" }, 3, { 1: restart });
  expect(told(events)).toEqual([
    ["CREATED", "kubelet"],
    ["DESTROYED", "kubelet"],
    ["CREATED", "kubelet"],
  ]);
  expect(events[2]?.resource?.metadata?.version).toBe("1");
  expect(events[0]?.bookmark).toBeUndefined();
  expect(events[1]?.bookmark).toHaveLength(16);
});

test("a watch of a missing resource begins with a tombstone, whose spec is empty", async () => {
  const client = await machine();
  const [gone] = await first(client, { ...SERVICES, id: "unicorn" }, 1);
  expect(told(gone ? [gone] : [])).toEqual([["DESTROYED", "unicorn"]]);
  expect(gone?.resource?.metadata?.version).toBe("undefined");
  expect(gone?.resource?.spec).toMatchObject({ yamlSpec: "" });
});

test("a change is reported with the previous resource", async () => {
  const client = await machine();
  const status = { namespace: "runtime", type: "MachineStatuses.runtime.talos.dev", id: "machine" };
  const [, changed] = await first(client, status, 2, { 1: () => bench.bootstrap(client) });
  expect(changed?.eventType).toBe(EventType.UPDATED);
  expect(Number(changed?.resource?.metadata?.version)).toBe(Number(changed?.old?.metadata?.version) + 1);
});

test("existing resources are sent together on request, with a mark at their end", async () => {
  const client = await machine();
  const answers: number[] = [];
  for await (const { event } of client.state.watch({
    ...VOLUMES,
    apiVersion: 1,
    options: { bootstrapContents: true, aggregated: true },
  })) {
    answers.push(event.length);
    if (answers.length === 2) break;
  }
  expect(answers).toEqual([0, 4]);
});

test("past events are repeated from a tail or from a bookmark", async () => {
  const client = await machine();
  const [last] = await first(client, { ...SERVICES, options: { tailEvents: 1 } }, 1);
  const two = await first(client, { ...SERVICES, options: { tailEvents: 2 } }, 2);
  expect(two[1]?.resource?.metadata?.id).toBe(last?.resource?.metadata?.id);
  const startFromBookmark = two[0]?.bookmark as Uint8Array;
  const [next] = await first(client, { ...SERVICES, options: { startFromBookmark } }, 1);
  expect(next?.resource?.metadata?.id).toBe(last?.resource?.metadata?.id);
  const wrong = first(client, { ...SERVICES, options: { startFromBookmark: new Uint8Array([1]) } }, 1);
  expect(await refusalOf(wrong)).toEqual({ code: "FailedPrecondition", text: "invalid watch bookmark" });
  const [noop] = await first(client, { ...SERVICES, options: { bootstrapBookmark: true } }, 1);
  expect(noop?.eventType).toBe(EventType.NOOP);
});

test("conflicting options are refused", async () => {
  const client = await machine();
  const one = { ...SERVICES, id: "kubelet" };
  expect(await refusalOf(first(client, { ...one, options: { bootstrapContents: true } }, 1))).toEqual({
    code: "Unimplemented",
    text: "bootstrap contents is not implemented for resource watch",
  });
  expect((await refusalOf(first(client, { ...SERVICES, options: { bootstrapContents: true, tailEvents: 1 } }, 1))).text).toBe(
    "cannot use BootstrapContents with TailEvents and StartFromBookmark options",
  );
});

test("lists can be filtered by labels and ids", async () => {
  const client = await machine();
  const ids = async (options: object) => {
    const found: string[] = [];
    for await (const { resource } of client.state.list({ ...VOLUMES, options })) found.push(resource?.metadata?.id ?? "");
    return found;
  };
  const system = (invert: boolean) => [{ terms: [{ key: "talos.dev/system-volume", op: Operation.EXISTS, invert }] }];
  expect(await ids({ labelQuery: system(false) })).toEqual(["EPHEMERAL", "META", "STATE"]);
  expect(await ids({ labelQuery: system(true) })).toEqual([]);
  expect(await ids({ idQuery: { regexp: "^S" } })).toEqual(["STATE"]);
});

test("a type of another release is refused like an unknown one", async () => {
  const client = await machine();
  expect(await refusalOf(client.state.get({ namespace: "runtime", type: "BootIDs.runtime.talos.dev", id: "boot-id" }))).toEqual({
    code: "PermissionDenied",
    text: 'resource type "BootIDs.runtime.talos.dev" is not supported',
  });
  expect((await refusalOf(client.state.get({ namespace: "unicorns", type: SERVICES.type, id: "x" }))).text).toBe(
    'namespace "unicorns" is not supported',
  );
});
