import { afterEach, beforeAll, expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import type { Node } from "../objects.ts";
import { openKubernetes, type WatchEvent } from "./kubernetes-client.ts";
import {
  type ApiServer,
  accessTo,
  apiServer,
  type Behaviour,
  type Identity,
  identity,
  type Reply,
  status,
} from "./testing/api-server.ts";

const world = testWorld();
let us: Identity;
const open: { close(): unknown }[] = [];
beforeAll(async () => {
  us = await identity(world);
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const NODES = { apiVersion: "v1", kind: "Node" };
const node = (name: string, resourceVersion: number, uid = name) => ({
  ...NODES,
  metadata: { name, uid, resourceVersion: String(resourceVersion) },
});
const list = (resourceVersion: number, ...items: object[]): Reply => ({
  body: { kind: "NodeList", metadata: { resourceVersion: String(resourceVersion) }, items },
});
const event = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const bookmark = (version: number) => event("BOOKMARK", { ...NODES, metadata: { resourceVersion: String(version) } });

/** Responds to lists and watches in order, each with its own sequence; the last watch stays open. */
async function watching(lists: Reply[], watches: Reply[]) {
  const behave: Behaviour = ({ path, query }) => {
    if (path !== "/api/v1/nodes") return undefined;
    if (!query.has("watch")) return lists.shift();
    return watches.shift() ?? { stream: { says: [], after: "goes on" } };
  };
  const api: ApiServer = await apiServer(world, us, behave);
  const client = openKubernetes(world, () => accessTo(us, api.url));
  open.push(client, api);
  return { api, client };
}

/** Reads this many events, then stops. */
async function seen(client: ReturnType<typeof openKubernetes>, count: number): Promise<string[]> {
  const stop = new AbortController();
  const told: string[] = [];
  for await (const { is, object } of client.watch<Node>(NODES, stop.signal) as AsyncIterable<WatchEvent<Node>>) {
    told.push(`${is} ${object.metadata.name}@${object.metadata.resourceVersion}`);
    if (told.length === count) stop.abort();
  }
  return told;
}

test("existing objects come first, then the changes from that version on", async () => {
  const { api, client } = await watching(
    [list(7, node("a", 3))],
    [
      {
        stream: {
          says: [event("ADDED", node("b", 8)) + event("MODIFIED", node("a", 9)), event("DELETED", node("b", 10))],
          after: "goes on",
        },
      },
    ],
  );
  expect(await seen(client, 4)).toEqual(["added a@3", "added b@8", "modified a@9", "deleted b@10"]);
  const { query } = api.asked.at(-1) ?? {};
  expect([query?.get("resourceVersion"), query?.get("allowWatchBookmarks")]).toEqual(["7", "true"]);
});

test("an event may come in pieces, also in the middle of a letter", async () => {
  const whole = Buffer.from(event("ADDED", { ...node("b", 8), spec: { text: "grün" } }));
  const at = whole.indexOf("ü") + 1;
  const halves = [whole.subarray(0, at), whole.subarray(at)];
  const { client } = await watching([list(7)], [{ stream: { says: halves as unknown as string[], after: "goes on" } }]);
  const stop = new AbortController();
  for await (const { object } of client.watch<Node>(NODES, stop.signal)) {
    expect(object.spec).toEqual({ text: "grün" });
    stop.abort();
  }
});

test.each(["ends", "is cut"] as const)("a watch that %s is taken up where the last bookmark was", async (after) => {
  const { api, client } = await watching(
    [list(7)],
    [{ stream: { says: [bookmark(20)], after } }, { stream: { says: [event("ADDED", node("b", 21))], after: "goes on" } }],
  );
  expect(await seen(client, 1)).toEqual(["added b@21"]);
  expect(api.asked.map(({ query }) => query.get("resourceVersion")).slice(-2)).toEqual(["7", "20"]);
});

// watch/410: the HTTP status or an event; apiserver uses either, depending on where it detects that the version is too old.
const EXPIRED = status(410, "Expired", "The resourceVersion for the provided watch is too old.");
test.each([
  ["by its status", EXPIRED],
  ["by an event", { stream: { says: [event("ERROR", EXPIRED.body as object)], after: "ends" } } as Reply],
])("an expired version (%s) causes a new list, of which only the differences are reported", async (_, forgotten) => {
  const { client } = await watching(
    [
      list(7, node("kept", 1), node("gone", 2), node("changed", 3), node("same name", 4, "old")),
      list(30, node("kept", 1), node("changed", 25), node("same name", 26, "another"), node("new", 27)),
    ],
    [forgotten],
  );
  expect((await seen(client, 9)).slice(4)).toEqual([
    "deleted gone@2",
    "deleted same name@4",
    "modified changed@25",
    "added same name@26",
    "added new@27",
  ]);
});

test("an etcd that is lost in the middle is waited for", async () => {
  const { client } = await watching(
    [list(7)],
    [
      { stream: { says: [event("ERROR", status(500, "InternalError", "etcdserver: no leader").body as object)], after: "ends" } },
      status(503, "ServiceUnavailable", "apiserver is shutting down"),
      { stream: { says: [event("ADDED", node("b", 8))], after: "goes on" } },
    ],
  );
  expect(await seen(client, 1)).toEqual(["added b@8"]);
});

test("a server that has gone silent is left after a while", async () => {
  const { api, client } = await watching(
    [list(7)],
    [{ stream: { says: [], after: "goes on" } }, { stream: { says: [event("ADDED", node("b", 8))], after: "goes on" } }],
  );
  expect(await seen(client, 1)).toEqual(["added b@8"]);
  expect(api.asked.filter(({ query }) => query.has("watch"))).toHaveLength(2);
});

test("a watch without permission is an error", async () => {
  const { client } = await watching(
    [list(7)],
    [status(403, "Forbidden", 'nodes is forbidden: User "x" cannot watch resource "nodes"')],
  );
  await expect(seen(client, 1)).rejects.toMatchObject({ code: "KUBERNETES_DENIED", message: "Unable to watch Node objects" });
});

test("a watch on an address without a server is an error at once", async () => {
  const { api, client } = await watching([], []);
  await api.close();
  await expect(seen(client, 1)).rejects.toMatchObject({ code: "KUBERNETES_UNREACHABLE" });
});

test("a watch continues with the next control plane when one is lost", async () => {
  let watched = 0;
  const first = await apiServer(world, us, ({ path, query }) => {
    if (path !== "/api/v1/nodes") return undefined;
    if (!query.has("watch")) return list(7);
    return watched++ > 0 ? "cut" : { stream: { says: [bookmark(20)], after: "is cut" } };
  });
  const second = await apiServer(world, us, ({ query }) =>
    query.has("watch") ? { stream: { says: [event("ADDED", node("b", 21))], after: "goes on" } } : undefined,
  );
  const client = openKubernetes(world, () => accessTo(us, first.url, second.url));
  open.push(client, first, second);
  const stop = new AbortController();
  let asked = 0;
  for await (const { object } of client.watch<Node>(NODES, stop.signal)) {
    expect(object.metadata.name).toBe("b");
    asked = second.asked.length;
    stop.abort();
  }
  expect(asked).toBe(1);
  expect(second.asked[0]?.query.get("resourceVersion")).toBe("20");
});
