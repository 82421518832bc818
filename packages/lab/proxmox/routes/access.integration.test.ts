import { afterAll, beforeAll, expect, test } from "vitest";
import { Bench, ROOT_PASSWORD } from "../testing/bench.ts";
import { encodeForm, send } from "../testing/raw-client.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open({ timeScale: 200 });
});
afterAll(() => bench.close());

function login(form: Record<string, string>) {
  return send(bench.url, "POST", "/api2/json/access/ticket", {
    headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": String(encodeForm(form).length) },
    body: encodeForm(form),
  });
}

test("a ticket contains its user and the time of login, and is signed", async () => {
  const { body } = await login({ username: "root@pam", password: ROOT_PASSWORD });
  expect(body.data.username).toBe("root@pam");
  expect(body.data.ticket).toMatch(/^PVE:root@pam:[0-9A-F]{8}::\S+$/);
  expect(body.data.CSRFPreventionToken).toMatch(/^[0-9A-F]{8}:\S+$/);
});

test("the realm can be given separately", async () => {
  expect((await login({ username: "root", realm: "pam", password: ROOT_PASSWORD })).status).toBe(200);
});

test("a ticket can be renewed with itself", async () => {
  const first = await login({ username: "root@pam", password: ROOT_PASSWORD });
  expect((await login({ username: "root@pam", password: first.body.data.ticket })).status).toBe(200);
});

test("a wrong password is an authentication failure, with a body", async () => {
  const answer = await login({ username: "root@pam", password: "wrong" });
  expect([answer.status, answer.reason]).toEqual([401, "authentication failure"]);
  expect(answer.body).toEqual({ data: null, message: "authentication failure\n" });
});

test("a ticket without its CSRF token allows only reading", async () => {
  const { body } = await login({ username: "root@pam", password: ROOT_PASSWORD });
  const ticketOnly = bench.person({ Cookie: `PVEAuthCookie=${encodeURIComponent(body.data.ticket)}` });
  expect((await ticketOnly.call("GET", "/version")).status).toBe(200);
  const answer = await ticketOnly.call("POST", "/pools", { poolid: "a" });
  expect([answer.status, answer.reason]).toEqual([401, "Permission denied - invalid csrf token"]);
});

test("a ticket expires after two hours", async () => {
  const fast = await Bench.open({ timeScale: 20_000 });
  try {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const body = encodeForm({ username: "root@pam", password: ROOT_PASSWORD });
    const answer = await send(fast.url, "POST", "/api2/json/access/ticket", { headers, body });
    await fast.lab.sleep(2 * 3600 * 1000);
    const late = fast.person({ Cookie: `PVEAuthCookie=${encodeURIComponent(answer.body.data.ticket)}` });
    expect((await late.call("GET", "/version")).reason).toBe("Authentication failed!");
  } finally {
    await fast.close();
  }
});

test("a user can read its own permissions at a path without any privilege", async () => {
  const user = await bench.userWith("reader", { "/vms": "VM.Audit" });
  expect(await user.get("GET", "/access/permissions", { path: "/vms/9999" })).toEqual({ "/vms/9999": { "VM.Audit": 1 } });
  expect(await user.get("GET", "/access/permissions")).toEqual({ "/vms": { "VM.Audit": 1 } });
});

test("the lab's client has the least privileges for a cluster, downloads and mapped devices", async () => {
  const granted = Object.keys((await bench.client.get("GET", "/access/permissions", { path: "/" }))["/"]).sort();
  expect(granted).toEqual(
    (
      "Datastore.AllocateSpace Datastore.AllocateTemplate Datastore.Audit Mapping.Audit Mapping.Use Pool.Audit SDN.Use " +
      "Sys.AccessNetwork Sys.Audit " +
      "VM.Allocate VM.Audit VM.Clone VM.Config.CDROM VM.Config.CPU VM.Config.Cloudinit VM.Config.Disk VM.Config.HWType " +
      "VM.Config.Memory VM.Config.Network VM.Config.Options VM.GuestAgent.Audit VM.PowerMgmt"
    ).split(" "),
  );
});

test("built-in roles cannot be changed", async () => {
  const roles = await bench.client.get("GET", "/access/roles");
  expect(roles.find((role: { roleid: string }) => role.roleid === "PVETemplateUser")).toEqual({
    roleid: "PVETemplateUser",
    privs: "VM.Audit,VM.Clone",
    special: 1,
  });
});

test("a role in Proxmox's own namespace cannot be created", async () => {
  const answer = await bench.root.call("POST", "/access/roles", { roleid: "pveMine" });
  expect(answer.body.errors).toEqual({
    roleid: "cannot use role ID starting with the (case-insensitive) 'PVE' namespace",
  });
});

test("a privilege of another major is unknown", async () => {
  const answer = await bench.root.call("POST", "/access/roles", { roleid: "Old", privs: "VM.Monitor" });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.privs).toContain("invalid privilege 'VM.Monitor'");
});

test("an ACL path follows a grammar", async () => {
  const answer = await bench.root.call("PUT", "/access/acl", { path: "/foo", roles: "PVEAdmin", users: "root@pam" });
  expect(answer.body.errors).toEqual({ path: "invalid ACL path '/foo'" });
});

test("a token name can be used once", async () => {
  await bench.root.get("POST", "/access/users", { userid: "twice@pve" });
  await bench.root.get("POST", "/access/users/twice@pve/token/ci");
  const answer = await bench.root.call("POST", "/access/users/twice@pve/token/ci");
  expect(answer.body.errors).toEqual({ tokenid: "Token already exists." });
});

test("a token of root does not count as root", async () => {
  const made = await bench.root.get("POST", "/access/users/root@pam/token/ci", { privsep: 0 });
  const token = bench.person({ Authorization: `PVEAPIToken=root@pam!ci=${made.value}` });
  await bench.root.task("POST", "/nodes/pve1/qemu", { vmid: 900 });
  const answer = await token.call("PUT", "/nodes/pve1/qemu/900/config", { args: "-cpu host" });
  expect([answer.status, answer.reason]).toEqual([500, "only root can set 'args' config"]);
});

test("a token cannot get a ticket", async () => {
  const body = encodeForm({ username: "root@pam", password: ROOT_PASSWORD });
  const answer = await bench.client.raw("POST", "/access/ticket", {
    headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": String(body.length) },
    body,
  });
  expect([answer.status, answer.reason]).toEqual([
    403,
    "Permission check failed (URI '/access/ticket' not available with API token, need proper ticket.)",
  ]);
});

test("disabling a user blocks its tokens from the next request on", async () => {
  const user = await bench.userWith("gone", { "/vms": "VM.Audit" });
  await bench.root.get("PUT", "/access/users/gone@pve", { enable: 0 });
  expect((await user.call("GET", "/version")).reason).toBe("Authentication failed!");
});

test("groups give privileges to their members", async () => {
  await bench.root.get("POST", "/access/groups", { groupid: "ops", comment: "who operates" });
  await bench.root.get("POST", "/access/users", { userid: "member@pve", groups: "ops" });
  await bench.root.get("PUT", "/access/acl", { path: "/vms", roles: "PVETemplateUser", groups: "ops" });
  const permissions = await bench.root.get("GET", "/access/permissions", { userid: "member@pve", path: "/vms/100" });
  expect(permissions).toEqual({ "/vms/100": { "VM.Audit": 1, "VM.Clone": 1 } });
  expect(await bench.root.get("GET", "/access/groups/ops")).toEqual({ members: ["member@pve"], comment: "who operates" });
  await bench.root.get("DELETE", "/access/groups/ops");
  expect(await bench.root.get("GET", "/access/permissions", { userid: "member@pve", path: "/vms/100" })).toEqual({
    "/vms/100": {},
  });
  const unknown = await bench.root.call("POST", "/access/users", { userid: "late@pve", groups: "ops" });
  expect(unknown.reason).toBe("create user failed: no such group 'ops'");
});

/** iterate_acl_tree visits every node on the way to an entry. */
test("permissions list every parent of a path with an entry", async () => {
  const user = await bench.userWith("walker", { "/sdn/zones/localnetwork/vmbr0": "SDN.Use", "/": "Sys.Audit" });
  expect(Object.keys(await user.get("GET", "/access/permissions"))).toEqual(
    expect.arrayContaining(["/sdn", "/sdn/zones", "/sdn/zones/localnetwork", "/sdn/zones/localnetwork/vmbr0"]),
  );
});

test("an ACL entry needs a user, group or token, and an unknown one is refused", async () => {
  const answer = await bench.root.call("PUT", "/access/acl", { path: "/", roles: "PVEAdmin" });
  const complaint = "either 'users', 'groups' or 'tokens' is required.";
  expect(answer.body.errors).toEqual({ users: complaint, groups: complaint, tokens: complaint });
});

test.each([
  [{ roles: "Nothing", users: "root@pam" }, "ACL update failed: role 'Nothing' does not exist"],
  [{ roles: "PVEAdmin", users: "no@pve" }, "ACL update failed: user 'no@pve' does not exist"],
  [{ roles: "PVEAdmin", groups: "no" }, "ACL update failed: group 'no' does not exist"],
  [{ roles: "PVEAdmin", tokens: "root@pam!no" }, "ACL update failed: no such token 'no' for user 'root@pam'"],
])("an entry of %o fails: %s", async (form, reason) => {
  expect((await bench.root.call("PUT", "/access/acl", { path: "/", ...form })).reason).toBe(reason);
});

test("a user who may only share cannot grant more privileges than they have", async () => {
  const user = await bench.userWith("sharer", { "/vms/100": "VM.Allocate,VM.Audit" });
  const answer = await user.call("PUT", "/access/acl", { path: "/vms/100", roles: "PVEVMAdmin", users: "root@pam" });
  expect([answer.status, answer.body.message]).toEqual([
    500,
    "ACL update failed: 400 Parameter verification failed.\n" +
      "role: Cannot add role 'PVEVMAdmin' - requires 'Permissions.Modify' or superset of privileges.\n",
  ]);
});

test.each([
  ["POST", "/access/roles", { roleid: "PVEx" }, 400, "Parameter verification failed."],
  ["POST", "/access/roles", { roleid: "Administrator" }, 500, "create role failed: role 'Administrator' already exists"],
  ["PUT", "/access/roles/PVEAdmin", { privs: "VM.Audit" }, 500, "auto-generated role 'PVEAdmin' cannot be modified"],
  ["DELETE", "/access/roles/Nothing", {}, 500, "delete role failed: role 'Nothing' does not exist"],
])("%s %s %o gives %i %s", async (method, path, form, status, reason) => {
  const answer = await bench.root.call(method, path, form);
  expect([answer.status, answer.reason]).toEqual([status, reason]);
});

test("a token cannot list its user's tokens, because it does not count as its user", async () => {
  const user = await bench.userWith("self", {});
  expect((await user.call("GET", "/access/users/self@pve/token")).reason).toBe("Permission check failed");
});
