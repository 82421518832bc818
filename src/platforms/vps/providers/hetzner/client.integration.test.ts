import { asTalosmithError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import { afterEach, expect, test } from "vitest";
import { testWorld } from "../../../../../test/support/test-world.ts";
import { type ApiAnswer, type ApiCall, answering, refusal, TOKEN } from "../testing/hetzner-api.ts";
import { HetznerClient } from "./client.ts";
import { refusalOf } from "./refusal.ts";

// Codes and bodies are those of the API's own client, hcloud-go: error.go, schema/error.go, schema/meta.go.

const world = testWorld({ timeScale: 1000 });
const signal = new AbortController().signal;
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function served(answer: (call: ApiCall, count: number) => ApiAnswer) {
  const server = await answering(world, answer);
  const client = new HetznerClient(world, server.access, { calls: 0, bytes: 0 });
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

test("the token is in the header of every call, below the path of the address", async () => {
  const { client, calls } = await served(() => ({ body: {} }));
  await client.get("/servers/42", { signal }, { name: "a b" });
  expect(calls[0]).toMatchObject({ method: "GET", path: "/servers/42?name=a+b" });
  expect(calls[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
});

test("all pages are read, and no more", async () => {
  const { client, calls } = await served((_, count) => ({
    body: { servers: [{ id: count }], meta: { pagination: { next_page: count < 3 ? count + 1 : null } } },
  }));
  expect(await client.all("/servers", "servers", { signal })).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(calls.map(({ path }) => path)).toEqual([1, 2, 3].map((page) => `/servers?page=${page}&per_page=50`));
});

test.each([
  [423, "locked", "server is locked"],
  [409, "conflict", "the resource has changed during the request, please retry"],
  [429, "rate_limit_exceeded", "limit of 3600 requests per hour reached"],
])("a change is retried after %i %s, and the reason is reported", async (status, code, message) => {
  const { client, calls } = await served((_, count) =>
    count < 3 ? refusal(status, code, message) : { body: { action: { id: 1 } } },
  );
  const said: string[] = [];
  const answer = await client.post("/servers/42/actions/reset", {}, { signal, say: (text) => said.push(text) });
  expect(answer).toEqual({ action: { id: 1 } });
  expect(calls).toHaveLength(3);
  expect(said).toHaveLength(2);
  expect(said[0]).toContain(message);
});

test("a server that stays locked ends in an error that may be tried again", async () => {
  const { client, calls } = await served(() => refusal(423, "locked", "server is locked"));
  const error = await failing(client.post("/servers/42/actions/reset", {}, { signal }));
  expect(error).toMatchObject({ code: "HETZNER_BUSY", transient: true, hint: expect.stringContaining("another action") });
  expect(calls.length).toBeGreaterThan(4);
});

test.each([
  [401, "unauthorized", "unable to authenticate", "HETZNER_LOGIN", "vps.provider.token"],
  [403, "token_readonly", "token is only allowed to perform GET requests", "HETZNER_PERMISSION", "Read & Write"],
])("%i %s says what to do, and nothing of the token", async (status, code, message, ours, hint) => {
  const { client, calls } = await served(() => refusal(status, code, message));
  const error = await failing(client.post("/firewalls", {}, { signal }));
  expect(error).toMatchObject({ code: ours, hint: expect.stringContaining(hint), transient: false });
  expect(JSON.stringify(error.report())).not.toContain(TOKEN);
  expect(error.detail).toContain(`${code}: ${message}`);
  expect(calls).toHaveLength(1);
});

test("the error contains the problem of each field", async () => {
  const details = { fields: [{ name: "rules.0.port", messages: ["is too long", "is no port"] }] };
  const { client } = await served(() => refusal(422, "invalid_input", "invalid input in field 'rules'", details));
  const error = await failing(client.post("/firewalls", {}, { signal }));
  expect(error.detail?.split("\n")[1]).toBe("rules.0.port: is too long; is no port");
  expect(refusalOf(error)).toEqual({ status: 422, code: "invalid_input", message: "invalid input in field 'rules'" });
});

test("a read with a lost response is repeated, a change is not", async () => {
  const { client, calls } = await served(({ method }, count) =>
    method === "POST" || count === 2 ? "cut" : { body: { ok: count } },
  );
  await client.get("/servers", { signal });
  expect(await client.get("/servers", { signal })).toEqual({ ok: 3 });
  const error = await failing(client.post("/servers/42/actions/reset", {}, { signal }));
  expect(error).toMatchObject({ code: "CONNECTION_LOST", transient: true });
  expect(calls.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("something that is no such API is named as that", async () => {
  const { client } = await served(() => ({ body: { servers: "none" } }));
  const error = await failing(client.all("/servers", "servers", { signal }));
  expect(error).toMatchObject({ code: "HETZNER_ANSWER", hint: expect.stringContaining("vps.provider.url") });
});

test.each([
  ["http://api.example.com/v1", false],
  ["http://203.0.113.1/v1", false],
  ["http://[::1]:8080/v1", true],
  ["http://localhost:8080/v1", true],
  ["http://127.80.1.240:8080/v1", true],
  ["https://api.example.com/v1", true],
])("the token is sent to %s: %s", (url, fine) => {
  const make = () => new HetznerClient(world, { url, token: new Secret(TOKEN) }, { calls: 0, bytes: 0 }).close();
  if (fine) expect(make).not.toThrow();
  else expect(make).toThrow(/unencrypted/);
});
