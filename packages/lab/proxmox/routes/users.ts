import type { Json } from "@talosmith/lib/json.ts";
import { splitAuthId } from "../access/acl.ts";
import { mayAt, requirePrivileges } from "../access/permission.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT } from "../parameters/formats.ts";
import { FormatError, type Properties, type Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { badParameters, died } from "../refusal.ts";
import type { ApiToken, ProxmoxState, User } from "../state.ts";
import { newUuid } from "../vm/identity.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const expire: Property = { type: "integer", optional: true, minimum: 0 };
const USER: Properties = {
  comment: OPTIONAL_TEXT,
  email: OPTIONAL_TEXT,
  enable: OPTIONAL_BOOLEAN,
  expire,
  firstname: OPTIONAL_TEXT,
  groups: OPTIONAL_LIST,
  keys: OPTIONAL_TEXT,
  lastname: OPTIONAL_TEXT,
};
const userid: Property = {
  type: "string",
  maxLength: 64,
  format: (value) => {
    if (!/^[^\s:/]+@[A-Za-z][A-Za-z0-9.\-_]+$/.test(value))
      throw new FormatError(`value '${value}' does not look like a valid user name`);
  },
};
const TOKEN: Properties = { comment: OPTIONAL_TEXT, expire, privsep: OPTIONAL_BOOLEAN };

function userOf(state: ProxmoxState, id: string | undefined): User {
  const user = state.access.users[id ?? ""];
  if (!user) throw died(`no such user ('${id}')`);
  return user;
}

function shownUser(id: string, user: User): Record<string, Json> {
  return {
    userid: id,
    enable: user.enable ? 1 : 0,
    expire: user.expire,
    "realm-type": id.endsWith("@pam") ? "pam" : "pve",
    ...(user.comment !== undefined && { comment: user.comment }),
    ...(user.email !== undefined && { email: user.email }),
    ...(user.firstname !== undefined && { firstname: user.firstname }),
    ...(user.lastname !== undefined && { lastname: user.lastname }),
  };
}

function shownToken(token: ApiToken): Record<string, Json> {
  return {
    expire: token.expire,
    privsep: token.privsep ? 1 : 0,
    ...(token.comment !== undefined && { comment: token.comment }),
  };
}

function list({ state, caller, params }: ApiCall): Json {
  const all = mayAt(state, caller, "/access/groups", "User.Modify") || mayAt(state, caller, "/access/groups", "Sys.Audit");
  return Object.entries(state.access.users)
    .filter(([id, user]) => (all || id === caller) && (params.enabled !== "1" || user.enable))
    .map(([id, user]) => ({
      ...shownUser(id, user),
      ...(params.full === "1" && {
        groups: groupsOf(state, id).join(","),
        tokens: Object.entries(user.tokens).map(([tokenid, token]) => ({ tokenid, ...shownToken(token) })),
      }),
    }));
}

/** A single user is shown without its id, and its tokens by their names. */
function one({ state, params }: ApiCall): Json {
  const id = params.userid ?? "";
  const user = userOf(state, id);
  const { userid: _, "realm-type": __, ...shown } = shownUser(id, user);
  const tokens = Object.entries(user.tokens).map(([tokenid, token]) => [tokenid, shownToken(token)]);
  return { ...shown, groups: groupsOf(state, id), tokens: Object.fromEntries(tokens) };
}

function requireUserRights(state: ProxmoxState, caller: string, id: string): void {
  requirePrivileges(state, caller, `/access/realm/${id.split("@")[1]}`, ["Realm.AllocateUser"]);
  requirePrivileges(state, caller, "/access/groups", ["User.Modify"]);
}

function create({ state, caller, params }: ApiCall): Json {
  const id = params.userid as string;
  requireUserRights(state, caller, id);
  if (state.access.users[id]) throw died(`create user failed: user '${id}' already exists`);
  requireGroups(state, "create user failed", params.groups);
  state.access.users[id] = {
    enable: params.enable !== "0",
    expire: Number(params.expire ?? 0),
    tokens: {},
    ...texts(params),
    ...(params.password !== undefined && { password: params.password }),
  };
  join(state, id, splitList(params.groups));
  return null;
}

function requireGroups(state: ProxmoxState, what: string, given: string | undefined): void {
  for (const group of splitList(given)) if (!state.access.groups[group]) throw died(`${what}: no such group '${group}'`);
}

function groupsOf(state: ProxmoxState, user: string): string[] {
  return Object.keys(state.access.groups)
    .filter((group) => state.access.groups[group]?.users.includes(user))
    .sort();
}

function join(state: ProxmoxState, user: string, groups: readonly string[]): void {
  for (const name of groups) {
    const group = state.access.groups[name];
    if (group && !group.users.includes(user)) group.users.push(user);
  }
}

function leaveAll(state: ProxmoxState, user: string): void {
  for (const group of Object.values(state.access.groups)) group.users = group.users.filter((member) => member !== user);
}

function texts(params: Record<string, string>): Partial<User> {
  const given = ["comment", "email", "firstname", "lastname"].filter((key) => params[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, params[key]]));
}

function change({ state, params }: ApiCall): Json {
  const user = userOf(state, params.userid);
  Object.assign(user, texts(params));
  if (params.enable !== undefined) user.enable = params.enable === "1";
  if (params.expire !== undefined) user.expire = Number(params.expire);
  if (params.groups !== undefined) {
    requireGroups(state, "update user failed", params.groups);
    if (params.append !== "1") leaveAll(state, params.userid as string);
    join(state, params.userid as string, splitList(params.groups));
  }
  return null;
}

function remove({ state, caller, params }: ApiCall): Json {
  const id = params.userid as string;
  requireUserRights(state, caller, id);
  userOf(state, id);
  delete state.access.users[id];
  leaveAll(state, id);
  state.access.acl = state.access.acl.filter((entry) => entry.kind === "group" || splitAuthId(entry.id).user !== id);
  return null;
}

function tokens({ state, params }: ApiCall): Json {
  return Object.entries(userOf(state, params.userid).tokens).map(([tokenid, token]) => ({ tokenid, ...shownToken(token) }));
}

function tokenOf({ state, params }: ApiCall): ApiToken {
  const token = userOf(state, params.userid).tokens[params.tokenid ?? ""];
  if (!token) throw died(`no such token '${params.tokenid}' for user '${params.userid}'`);
  return token;
}

/** Creates a token; its secret is shown only in this response (docs/facts/proxmox.md#token-secrets). */
function createToken({ lab, state, params }: ApiCall): Json {
  const { userid: user = "", tokenid = "" } = params;
  const known = userOf(state, user).tokens;
  if (!/^[A-Za-z][A-Za-z0-9.\-_]+$/.test(tokenid)) throw badParameters({ tokenid: "value does not match the regex pattern" });
  if (known[tokenid]) throw badParameters({ tokenid: "Token already exists." });
  const token: ApiToken = {
    secret: newUuid(lab, `token ${user}!${tokenid}`),
    privsep: params.privsep !== "0",
    expire: Number(params.expire ?? 0),
    ...(params.comment !== undefined && { comment: params.comment }),
  };
  known[tokenid] = token;
  return { "full-tokenid": `${user}!${tokenid}`, value: token.secret, info: shownToken(token) };
}

function changeToken(call: ApiCall): Json {
  const token = tokenOf(call);
  const { privsep, expire: until, comment } = call.params;
  if (privsep !== undefined) token.privsep = privsep === "1";
  if (until !== undefined) token.expire = Number(until);
  if (comment !== undefined) token.comment = comment;
  return shownToken(token);
}

function removeToken(call: ApiCall): Json {
  const { state, params } = call;
  tokenOf(call);
  delete userOf(state, params.userid).tokens[params.tokenid ?? ""];
  state.access.acl = state.access.acl.filter(
    (entry) => entry.kind !== "token" || entry.id !== `${params.userid}!${params.tokenid}`,
  );
  return null;
}

const ALL = { user: "all" } as const;
const OTHERS = { privilege: ["/access/groups", "User.Modify"] } as const;
const OWN = { or: [{ self: "userid" }, OTHERS] } as const;
const READ = { anyPrivilege: ["/access/groups", "User.Modify", "Sys.Audit"] } as const;
const AT = "/access/users/:userid";

export const userRoutes: Method[] = [
  route("GET", "/access/users", { permission: ALL, parameters: { enabled: OPTIONAL_BOOLEAN, full: OPTIONAL_BOOLEAN } }, list),
  route("POST", "/access/users", { permission: ALL, parameters: { ...USER, userid, password: OPTIONAL_TEXT } }, create),
  route("GET", AT, { permission: READ }, one),
  route("PUT", AT, { permission: OTHERS, parameters: { ...USER, append: OPTIONAL_BOOLEAN } }, change),
  route("DELETE", AT, { permission: ALL }, remove),
  route("GET", `${AT}/token`, { permission: OWN }, tokens),
  route("GET", `${AT}/token/:tokenid`, { permission: OWN }, (call) => shownToken(tokenOf(call))),
  route("POST", `${AT}/token/:tokenid`, { permission: OWN, parameters: TOKEN }, createToken),
  route("PUT", `${AT}/token/:tokenid`, { permission: OWN, parameters: { ...TOKEN, delete: OPTIONAL_TEXT } }, changeToken),
  route("DELETE", `${AT}/token/:tokenid`, { permission: OWN }, removeToken),
];
