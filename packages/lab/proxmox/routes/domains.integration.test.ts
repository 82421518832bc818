import { afterAll, beforeAll, expect, test } from "vitest";
import { Bench } from "../testing/bench.ts";
import { send } from "../testing/raw-client.ts";

/** Behaviour of pve-access-control's API2/Domains.pm, read in its source. */
let bench: Bench;
beforeAll(async () => {
  bench = await Bench.open();
});
afterAll(() => bench.close());

const AT = "/access/domains";
const reason = async (method: string, path: string, form: Record<string, string | number> = {}) =>
  (await bench.root.call(method, path, form)).reason;

test("realms are listed for everyone, and read with the necessary right", async () => {
  const { body } = await send(bench.url, "GET", "/api2/json/access/domains");
  expect(body.data).toEqual(
    expect.arrayContaining([
      { realm: "pam", type: "pam", comment: "Linux PAM standard authentication" },
      { realm: "pve", type: "pve", comment: "Proxmox VE authentication server" },
    ]),
  );
  expect(await bench.root.get("GET", `${AT}/pam`)).toEqual({
    type: "pam",
    plugin: "PVE::Auth::PAM",
    comment: "Linux PAM standard authentication",
    digest: expect.any(String),
  });
  const powerless = await bench.userWith("powerless", {});
  expect((await powerless.call("GET", `${AT}/pam`)).status).toBe(403);
});

const LDAP = { realm: "corp", type: "ldap", server1: "ldap.example.org", base_dn: "dc=example,dc=org", user_attr: "uid" };

test("a directory is added, changed and removed; its password is never shown", async () => {
  expect(await bench.root.get("POST", AT, { ...LDAP, port: 636, verify: 1, default: 1, password: "secret" })).toBeNull();
  const read = await bench.root.get("GET", `${AT}/corp`);
  const { realm: _, ...kept } = LDAP;
  expect(read).toEqual({ ...kept, port: 636, verify: 1, default: 1, digest: expect.any(String) });
  await bench.root.get("PUT", `${AT}/corp`, { comment: "people", delete: "port,default", digest: read.digest });
  expect(await bench.root.get("GET", `${AT}/corp`)).toMatchObject({ ...kept, comment: "people", verify: 1 });
  expect(await reason("PUT", `${AT}/corp`, { comment: "x", digest: read.digest })).toBe(
    "update auth server failed: detected modified configuration - file changed by other user? Try again.",
  );
  await bench.root.get("DELETE", `${AT}/corp`);
  expect(await reason("GET", `${AT}/corp`)).toBe("domain 'corp' does not exist");
});

test.each([
  ["POST", "", { ...LDAP, realm: "pam" }, "add auth server failed: domain 'pam' already exists"],
  ["POST", "", { realm: "more", type: "pam" }, "add auth server failed: unable to create builtin type 'pam'"],
  ["POST", "", { realm: "oidc", type: "openid", "client-id": "x" }, "missing value for required option 'issuer-url'"],
  ["POST", "", { ...LDAP, scopes: "email" }, "add auth server failed: unexpected property 'scopes'"],
  ["PUT", "/none", { comment: "x" }, "update auth server failed: domain 'none' does not exist"],
  ["PUT", "/pam", {}, "update auth server failed: no options specified"],
  ["DELETE", "/none", {}, "delete auth server failed: authentication domain 'none' does not exist"],
])("%s %s %j is refused: %s", async (method, path, form, text) => {
  expect(await reason(method, `${AT}${path}`, form)).toContain(text);
});
