import { Secret } from "@talosmith/lib/secret.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import { afterEach, expect, test } from "vitest";
import { testWorld } from "../../../../test/support/test-world.ts";
import type { ProxmoxLogin } from "../config/config-on-proxmox.ts";
import { type Answer, api, type Call } from "./testing/api.ts";

// The ticket's shape and life: docs/facts/proxmox.md#authentication.

const ROOT: ProxmoxLogin = { user: "root@pam", password: new Secret("hunter22") };
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const ticket = (count: number) => ({
  data: { username: "root@pam", ticket: `PVE:root@pam:6918D30${count}::a+b/c=`, CSRFPreventionToken: `6918D30${count}:x` },
});

/** A clock that a test turns. */
function turned(): { world: World; turn(ms: number): void } {
  const world = testWorld();
  let ahead = 0;
  const turn = (ms: number) => {
    ahead += ms;
  };
  const clock = { ...world.clock, monotonic: () => world.clock.monotonic() + ahead };
  return { world: { ...world, clock }, turn };
}

async function served(world: World, answer: (call: Call, count: number) => Answer) {
  const server = await api(world, answer);
  const client = server.client(ROOT);
  open.push(client, server);
  return { ...server, client };
}

const logins = (calls: readonly Call[]) => calls.filter(({ path }) => path === "/access/ticket");

test("one ticket serves all calls, url-encoded in a cookie, and changes carry the CSRF token", async () => {
  const { client, calls } = await served(testWorld(), (call, count) =>
    call.path === "/access/ticket" ? ticket(count) : { data: 1 },
  );
  await Promise.all([client.get("/a"), client.get("/b"), client.post("/c")]);
  expect(logins(calls).map(({ body }) => body)).toEqual(["username=root%40pam&password=hunter22"]);
  const cookie = "PVEAuthCookie=PVE%3Aroot%40pam%3A6918D301%3A%3Aa%2Bb%2Fc%3D";
  for (const call of calls.slice(1)) {
    expect(call.headers.cookie).toBe(cookie);
    expect(call.headers.csrfpreventiontoken).toBe(call.method === "GET" ? undefined : "6918D301:x");
  }
  expect(client.identity).toBe("root@pam");
});

test("a ticket is renewed with itself well before its two hours are over", async () => {
  const { world, turn } = turned();
  const { client, calls } = await served(world, (call, count) => (call.path === "/access/ticket" ? ticket(count) : { data: 1 }));
  await client.get("/a");
  turn(59 * 60_000);
  await client.get("/a");
  expect(logins(calls)).toHaveLength(1);
  turn(2 * 60_000);
  await client.get("/a");
  expect(logins(calls)[1]?.body).toBe("username=root%40pam&password=PVE%3Aroot%40pam%3A6918D301%3A%3Aa%2Bb%2Fc%3D");
  expect(calls.at(-1)?.headers.cookie).toContain("6918D304");
});

test("a ticket that is too old to be renewed gives way to the password", async () => {
  const { world, turn } = turned();
  const { client, calls } = await served(world, (call, count) => {
    if (call.path !== "/access/ticket") return { data: 1 };
    return call.body.includes("PVE%3A") ? { status: 401, reason: "authentication failure" } : ticket(count);
  });
  await client.get("/a");
  turn(3 * 3600_000);
  expect(await client.get("/a")).toBe(1);
  expect(logins(calls).at(-1)?.body).toBe("username=root%40pam&password=hunter22");
});

test("a client whose fresh ticket is refused logs in once more, and only once", async () => {
  let refused = 0;
  const { client, calls } = await served(testWorld(), (call, count) => {
    if (call.path === "/access/ticket") return ticket(count);
    return refused-- > 0 ? { status: 401, reason: "permission denied - invalid PVE ticket" } : { data: 1 };
  });
  refused = 1;
  expect(await client.post("/x")).toBe(1);
  expect(logins(calls)).toHaveLength(2);
  refused = 9;
  await expect(client.get("/x")).rejects.toMatchObject({ code: "PROXMOX_LOGIN" });
  expect(logins(calls)).toHaveLength(3);
});

test("a wrong password is a user error", async () => {
  const { client } = await served(testWorld(), () => ({ status: 401, reason: "authentication failure" }));
  await expect(client.get("/x")).rejects.toMatchObject({
    code: "PROXMOX_LOGIN",
    hint: expect.stringContaining("check proxmox.user and proxmox.password"),
  });
});

test("a second factor is a reason to use a token", async () => {
  const { client } = await served(testWorld(), () => ({
    data: { username: "root@pam", NeedTFA: 1, ticket: "PVE:!tfa!%7B%22totp%22%3Atrue%7D:6918D307::sig" },
  }));
  await expect(client.get("/x")).rejects.toMatchObject({
    kind: "user",
    code: "PROXMOX_TFA",
    hint: expect.stringContaining("proxmox.token"),
  });
});
