import { afterEach, beforeAll, expect, test } from "vitest";
import { testWorld } from "../../../test/support/test-world.ts";
import { openKubernetes } from "./kubernetes-client.ts";
import { accessTo, apiServer, type Identity, identity, type Reply, status } from "./testing/api-server.ts";

const world = testWorld();
let us: Identity;
const open: { close(): unknown }[] = [];
beforeAll(async () => {
  us = await identity(world);
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const POD = { namespace: "kube-system", name: "helm-1", container: "helm" };
/** As kubelet writes them: nine digits, always. */
const at = (nanosecond: number, text: string) => `2026-03-01T10:00:00.${String(nanosecond).padStart(9, "0")}Z ${text}\n`;

async function logging(...answers: Reply[]) {
  const api = await apiServer(world, us, ({ path }) => (path.endsWith("/log") ? answers.shift() : undefined));
  const client = openKubernetes(world, () => accessTo(us, api.url));
  open.push(client, api);
  return { api, client };
}

async function read(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

const { signal } = new AbortController();

test("lines come without their times, empty ones too, until the container ends", async () => {
  const { api, client } = await logging({
    stream: { says: [at(1, "one") + at(2, ""), at(3, " two  ").trimEnd()], after: "ends" },
  });
  expect(await read(client.followLogs(POD, { tailLines: 5 }, signal))).toEqual(["one", "", " two"]);
  expect(String(api.asked[0]?.query)).toBe("follow=true&timestamps=true&container=helm&tailLines=5");
});

test("after a lost connection it goes on with the first line that was not seen", async () => {
  const { api, client } = await logging(
    { stream: { says: [at(1, "a"), at(2, "b"), at(2, "b again")], after: "is cut" } },
    { stream: { says: [at(2, "b"), at(2, "b again"), at(2, "and again"), at(3, "c")], after: "ends" } },
  );
  expect(await read(client.followLogs(POD, { tailLines: 5 }, signal))).toEqual(["a", "b", "b again", "and again", "c"]);
  const { query } = api.asked[1] ?? {};
  expect([query?.get("sinceTime"), query?.has("tailLines")]).toEqual(["2026-03-01T10:00:00.000000002Z", false]);
});

test("a server that repeats everything is understood too", async () => {
  const said = [at(1, "a"), at(2, "b")];
  const { client } = await logging(
    { stream: { says: said, after: "is cut" } },
    { stream: { says: [...said, at(3, "c")], after: "ends" } },
  );
  expect(await read(client.followLogs(POD, {}, signal))).toEqual(["a", "b", "c"]);
});

test("a container that has not begun is an error in Kubernetes' words", async () => {
  const waiting = 'container "helm" in pod "helm-1" is waiting to start: ContainerCreating';
  const { client } = await logging(status(400, "BadRequest", waiting));
  await expect(read(client.followLogs(POD, {}, signal))).rejects.toMatchObject({
    message: "Unable to read the log of pod helm-1",
    detail: expect.stringContaining(waiting),
  });
});

test("a reader that stops gets no error", async () => {
  const { client } = await logging({ stream: { says: [at(1, "a")], after: "goes on" } });
  const stop = new AbortController();
  const heard: string[] = [];
  for await (const line of client.followLogs(POD, {}, stop.signal)) {
    heard.push(line);
    stop.abort();
  }
  expect(heard).toEqual(["a"]);
});
