import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { afterEach, expect, test } from "vitest";
import { testWorld } from "../../../../test/support/test-world.ts";
import { refusalOf } from "./refusal.ts";
import { type Answer, api, type Call } from "./testing/api.ts";

// Statuses, reason phrases and bodies: docs/facts/proxmox.md#answers, docs/facts/proxmox.md#status-codes.

const world = testWorld({ timeScale: 100 });
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function served(answer: (call: Call, count: number) => Answer) {
  const server = await api(world, answer);
  const client = server.client();
  open.push(client, server);
  return { ...server, client };
}

const failing = async (call: Promise<unknown>): Promise<TalosmithError> =>
  asTalosmithError(
    await call.then(
      () => new Error("it did not fail"),
      (error: unknown) => error,
    ),
  );

const LOCKED = { status: 500, reason: "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout" };

test("every call carries the token, and tasks belong to the token's id", async () => {
  const { client, calls } = await served(() => ({ data: null }));
  await client.get("/version");
  expect(calls[0]?.headers.authorization).toBe("PVEAPIToken=talosmith@pve!deploy=01234567-89ab-cdef-0123-456789abcdef");
  expect(client.identity).toBe("talosmith@pve!deploy");
});

test("separators of form parameters are encoded, and a DELETE has no body", async () => {
  const { client, calls } = await served(() => ({ data: null }));
  await client.post("/x", { boot: "order=scsi0;ide2", description: "a=b&c", gone: undefined });
  await client.delete("/x", { purge: 1 });
  expect(calls[0]?.body).toBe("boot=order%3Dscsi0%3Bide2&description=a%3Db%26c");
  expect(calls[1]).toMatchObject({ method: "DELETE", path: "/x?purge=1", body: "" });
  expect(calls[1]?.headers["content-type"]).toBeUndefined();
});

test.each([
  [
    "a message of several lines",
    { status: 500, reason: "first", body: '{"data":null,"message":"first\\nsecond\\n"}' },
    "first",
    "first\nsecond",
  ],
  [
    "a reason phrase alone, as old versions send it",
    { status: 500, reason: "storage 'x' does not exist", body: '{"data":null}' },
    "storage 'x' does not exist",
    "storage 'x' does not exist",
  ],
  ["an empty body", { status: 401, reason: "No ticket" }, "No ticket", "No ticket"],
  ["a bare 400", { status: 400, reason: "Bad Request", body: "" }, "Bad Request", "Bad Request"],
  ["a host that another one cannot reach", { status: 595, reason: "No route to host" }, "No route to host", "No route to host"],
])("%s is understood", async (_, answer, reason, detail) => {
  const { client } = await served(() => answer);
  const error = await failing(client.get("/x"));
  expect(refusalOf(error)).toEqual({ status: answer.status, reason, errors: {} });
  expect(error.detail).toContain(`answered ${answer.status}: ${detail}`);
});

test("every parameter that is wrong is named, in one line each", async () => {
  const errors = {
    scsi0: "invalid format - format error\nscsi0.bogus: property is not defined in schema\n",
    vmid: "VM 100 already exists",
  };
  const { client } = await served(() => ({
    status: 400,
    reason: "Parameter verification failed.",
    body: JSON.stringify({ data: null, message: "Parameter verification failed.\n", errors }),
  }));
  const { detail } = await failing(client.post("/x"));
  expect(detail?.split("\n").slice(1)).toEqual([
    "scsi0: invalid format - format error; scsi0.bogus: property is not defined in schema",
    "vmid: VM 100 already exists",
  ]);
});

test("a read is made again when its answer is lost, once the server has been heard", async () => {
  const { client, calls } = await served((_, count) => (count === 2 ? "cut" : { data: count }));
  expect(await client.get("/a")).toBe(1);
  expect(await client.get("/b")).toBe(3);
  expect(calls.map(({ path }) => path)).toEqual(["/a", "/b", "/b"]);
});

test.each([
  ["a lock that was not got", LOCKED],
  ["a storage's lock that was not got", { status: 500, reason: "cfs-lock 'storage-ceph' error: got lock request timeout" }],
  ["a machine that is locked", { status: 500, reason: "VM is locked (clone)" }],
  ["a worker that was not started", { status: 500, reason: "got no worker upid - start worker failed" }],
  ["a cluster that is not ready", { status: 500, reason: "cluster not ready - no quorum?" }],
  ["a host that was not reached", { status: 595, reason: "Connection refused" }],
])("a change is retried after %s, and the reason is reported", async (_, refusal) => {
  const { client, calls } = await served((_, count) => (count === 2 || count === 3 ? refusal : { data: "UPID" }));
  const said: string[] = [];
  await client.get("/version");
  expect(await client.post("/x", {}, { say: (text) => said.push(text) })).toBe("UPID");
  expect(calls).toHaveLength(4);
  expect(said).toHaveLength(2);
  expect(said[0]).toContain(refusal.reason);
});

test.each([
  ["its answer was lost", "cut" as const],
  ["it went on behind the thirty seconds of a proxy", { status: 596, reason: "Connection timed out" }],
  ["half of it may have been done", { status: 500, reason: "failed to update VM 100: can't lock file '/x' - got timeout" }],
  ["another user changed it meanwhile", { status: 500, reason: "checksum mismatch (file change by other user?)" }],
])("a change is not retried when %s, but the error is transient", async (_, answer) => {
  const { client, calls } = await served((call) => (call.method === "GET" ? { data: 1 } : answer));
  await client.get("/version");
  expect((await failing(client.post("/x"))).transient).toBe(true);
  expect(calls).toHaveLength(2);
});

test("a lock that is never got ends in an error that says what to do", async () => {
  const { client, calls } = await served((call) => (call.method === "GET" ? { data: 1 } : LOCKED));
  await client.get("/version");
  const error = await failing(client.put("/x"));
  expect(error).toMatchObject({ code: "PROXMOX_BUSY", transient: true });
  expect(error.hint).toContain("another task is running on it");
  expect(calls.length).toBeGreaterThan(4);
});

test("one connection is not used for more calls than Proxmox allows", async () => {
  const { client, calls } = await served(() => ({ data: 1 }));
  for (let i = 0; i < 120; i++) await client.get("/x");
  const ports = calls.map(({ port }) => port);
  expect(ports.filter((port) => port === ports[0])).toHaveLength(95);
});

test("a file is sent as it comes, with its length known and the fields in the order Proxmox needs", async () => {
  const { client, calls } = await served(() => ({ data: "UPID" }));
  const parts = ["abc", "defg"];
  let opened = 0;
  const answer = await client.upload(
    "/nodes/pve1/storage/local/upload",
    { checksum: "c0ffee", "checksum-algorithm": "sha256", content: "import" },
    {
      name: "talos.qcow2",
      size: 7,
      async *open() {
        opened++;
        for (const part of parts) yield Buffer.from(part);
      },
    },
  );
  expect([answer, opened]).toEqual(["UPID", 1]);
  const [call] = calls;
  expect(call?.headers["transfer-encoding"]).toBeUndefined();
  expect(Number(call?.headers["content-length"])).toBe(call?.body.length);
  const boundary = /boundary=(.*)$/.exec(call?.headers["content-type"] ?? "")?.[1];
  expect(call?.body.replaceAll(boundary ?? "?", "B")).toBe(
    [
      '--B\r\nContent-Disposition: form-data; name="content"\r\n\r\nimport\r\n',
      '--B\r\nContent-Disposition: form-data; name="checksum-algorithm"\r\n\r\nsha256\r\n',
      '--B\r\nContent-Disposition: form-data; name="checksum"\r\n\r\nc0ffee\r\n',
      '--B\r\nContent-Disposition: form-data; name="filename"; filename="talos.qcow2"\r\nContent-Type: application/octet-stream\r\n\r\nabcdefg\r\n--B--\r\n',
    ].join(""),
  );
});
