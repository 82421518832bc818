import { expect, test } from "vitest";
import type { Permissions } from "../client/access.ts";
import { type Grantee, grantCommands } from "./grant.ts";
import type { Right } from "./right.ts";

const right = (privilege: Right["privilege"], path: string, role: Right["role"]): Right => ({
  privilege,
  path,
  role,
  why: "to see",
});
const template = right("Datastore.AllocateTemplate", "/storage/local", "TalosmithImages");
const audit = right("Datastore.Audit", "/storage/local", "TalosmithImages");
const nothing: Permissions = new Map();
const token: Grantee = { identity: "talosmith@pve!deploy", permissions: nothing, roles: new Map() };

// pveum's commands: docs/facts/proxmox.md#least-privileges; which entry replaces which: docs/facts/proxmox.md#acl-entries.

test("an entry contains all roles that are needed at its path, because it replaces inherited ones", () => {
  expect(grantCommands([template], [template, audit], token)).toEqual([
    'pveum role add TalosmithImages --privs "Datastore.AllocateTemplate Datastore.Audit"',
    "pveum acl modify /storage/local --users talosmith@pve --tokens 'talosmith@pve!deploy' --roles TalosmithImages",
  ]);
});

test("an existing role only gets missing privileges, and stays unchanged when it lacks none", () => {
  const roles = new Map([["TalosmithImages", ["Datastore.Audit"]]]);
  expect(grantCommands([template], [template, audit], { ...token, roles })[0]).toBe(
    'pveum role modify TalosmithImages --append 1 --privs "Datastore.AllocateTemplate"',
  );
  const whole = new Map([["TalosmithImages", ["Datastore.Audit", "Datastore.AllocateTemplate"]]]);
  expect(grantCommands([template], [template, audit], { ...token, roles: whole })).toHaveLength(1);
});

test("a user has no token to be named, and root needs nothing for itself", () => {
  expect(grantCommands([audit], [audit], { ...token, identity: "deploy@pve" })[1]).toBe(
    "pveum acl modify /storage/local --users deploy@pve --roles TalosmithImages",
  );
  expect(grantCommands([audit], [audit], { ...token, identity: "root@pam!deploy" })[1]).toBe(
    "pveum acl modify /storage/local --tokens 'root@pam!deploy' --roles TalosmithImages",
  );
});

const look = (path: string) => right("Sys.Audit", path, "TalosmithHosts");

test("a right granted on a parent path is not granted again below", () => {
  const all = [look("/"), look("/nodes/pve1"), look("/nodes/pve2")];
  expect(grantCommands(all, all, token).filter((command) => command.includes(" acl "))).toEqual([
    "pveum acl modify / --users talosmith@pve --tokens 'talosmith@pve!deploy' --roles TalosmithHosts",
  ]);
});

test("unless an entry in between stands in its way", () => {
  const all = [look("/"), look("/nodes/pve1")];
  const permissions: Permissions = new Map([["/nodes", new Map([["Sys.AccessNetwork", true]])]]);
  const entries = grantCommands(all, all, { ...token, permissions }).filter((command) => command.includes(" acl "));
  expect(entries.map((command) => command.split(" ")[3])).toEqual(["/", "/nodes/pve1"]);
});

test("also one that gives the same and passes nothing on", () => {
  const all = [look("/"), look("/nodes/pve1")];
  const permissions: Permissions = new Map([
    ["/", new Map([["VM.PowerMgmt", true]])],
    ["/nodes/pve1", new Map([["VM.PowerMgmt", false]])],
  ]);
  const entries = grantCommands(all, all, { ...token, permissions }).filter((command) => command.includes(" acl "));
  expect(entries.map((command) => command.split(" ")[3])).toEqual(["/", "/nodes/pve1"]);
});
