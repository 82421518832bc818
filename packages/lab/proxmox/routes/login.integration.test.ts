import { afterAll, beforeAll, expect, test } from "vitest";
import { totp } from "../access/totp.ts";
import { proxmoxState } from "../state.ts";
import { Bench, ROOT_PASSWORD } from "../testing/bench.ts";
import { encodeForm, type Form, send } from "../testing/raw-client.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open({ timeScale: 200 });
});
afterAll(() => bench.close());

function login(form: Form) {
  const body = encodeForm(form);
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": String(body.length) };
  return send(bench.url, "POST", "/api2/json/access/ticket", { headers, body });
}

/** RFC 6238, appendix B, for SHA-1: the last six of its eight digits. */
test.each([
  [59_000, "287082"],
  [1_111_111_109_000, "081804"],
  [20_000_000_000_000, "353130"],
])("the number at %i is %s", (at, number) => {
  expect(totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", at)).toBe(number);
});

const SECRET = "JBSWY3DPEHPK3PXP";

async function userWithSecondFactor(): Promise<string> {
  const userid = `two${bench.lab.serial("test user")}@pve`;
  await bench.root.get("POST", "/access/users", { userid, password: "first-factor" });
  bench.lab.turn(() => Object.assign(proxmoxState(bench.lab).access.users[userid] ?? {}, { totp: SECRET }));
  return userid;
}

test("a user with a second factor gets a partial ticket first, and a full one for the code", async () => {
  const username = await userWithSecondFactor();
  const half = await login({ username, password: "first-factor" });
  expect(half.body.data).toMatchObject({ username, NeedTFA: 1, ticket: expect.stringMatching(/^PVE:!tfa!/) });
  expect(half.body.data).not.toHaveProperty("cap");
  const { ticket } = half.body.data;
  const person = bench.person({ Cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}` });
  expect((await person.call("GET", "/version")).reason).toBe("No ticket");
  const whole = await login({ username, password: `totp:${totp(SECRET, bench.lab.now())}`, "tfa-challenge": ticket });
  expect(whole.body.data.ticket).toMatch(new RegExp(`^PVE:${username}:`));
  expect(whole.body.data).not.toHaveProperty("NeedTFA");
});

test("the code can be sent with the password", async () => {
  const username = await userWithSecondFactor();
  const answer = await login({ username, password: "first-factor", otp: totp(SECRET, bench.lab.now()) });
  expect(answer.body.data.ticket).toMatch(new RegExp(`^PVE:${username}:`));
});

test("a wrong code is an authentication failure", async () => {
  const username = await userWithSecondFactor();
  const { body } = await login({ username, password: "first-factor" });
  const answer = await login({ username, password: "totp:000000", "tfa-challenge": body.data.ticket });
  expect([answer.status, answer.reason]).toEqual([401, "authentication failure"]);
});

test("root's ticket can get a ticket for another user", async () => {
  await bench.root.get("POST", "/access/users", { userid: "other@pve" });
  const { body } = await login({ username: "root@pam", password: ROOT_PASSWORD });
  const answer = await login({ username: "other@pve", password: body.data.ticket });
  expect(answer.body.data.username).toBe("other@pve");
});

test("the cluster's name is shown only to users who may audit it", async () => {
  await bench.root.get("POST", "/access/users", { userid: "plain@pve", password: "plain-pass" });
  expect((await login({ username: "plain@pve", password: "plain-pass" })).body.data).not.toHaveProperty("clustername");
  expect((await login({ username: "root@pam", password: ROOT_PASSWORD })).body.data.clustername).toBe("lab");
});

test("a password can be checked together with a path and privileges", async () => {
  const right = await login({ username: "root@pam", password: ROOT_PASSWORD, path: "/vms/100", privs: "VM.Audit" });
  expect(right.body.data).toMatchObject({ username: "root@pam" });
  expect(right.body.data).not.toHaveProperty("ticket");
  const alone = await login({ username: "root@pam", password: ROOT_PASSWORD, path: "/vms/100" });
  expect(alone.body.errors).toEqual({ privs: "missing property required by 'path'" });
});

test("a user changes its own password by ticket, not by token", async () => {
  await bench.root.get("POST", "/access/users", { userid: "own@pve", password: "before-it" });
  const { body } = await login({ username: "own@pve", password: "before-it" });
  const person = bench.person({
    Cookie: `PVEAuthCookie=${encodeURIComponent(body.data.ticket)}`,
    CSRFPreventionToken: body.data.CSRFPreventionToken,
  });
  expect((await person.call("PUT", "/access/password", { userid: "own@pve", password: "after-it" })).status).toBe(200);
  expect((await login({ username: "own@pve", password: "after-it" })).status).toBe(200);
  const token = await bench.client.call("PUT", "/access/password", { userid: "talosmith@pve", password: "whatever" });
  expect(token.reason).toContain("not available with API token, need proper ticket.");
});
