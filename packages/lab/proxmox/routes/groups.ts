import type { Json } from "@talosmith/lib/json.ts";
import { mayAt } from "../access/permission.ts";
import { OPTIONAL_TEXT } from "../parameters/formats.ts";
import { FormatError, type Property } from "../parameters/property.ts";
import { died } from "../refusal.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const groupid: Property = {
  type: "string",
  format: (value) => {
    if (!/^[A-Za-z0-9.\-_]+$/.test(value)) throw new FormatError(`group name '${value}' contains invalid characters`);
  },
};

function list({ state, caller }: ApiCall): Json {
  const mayLook = (id: string) =>
    ["User.Modify", "Sys.Audit", "Group.Allocate"].some((right) => mayAt(state, caller, `/access/groups/${id}`, right));
  return Object.entries(state.access.groups)
    .filter(([id]) => mayLook(id))
    .map(([id, { users, comment }]) => ({
      groupid: id,
      users: [...users].sort().join(","),
      ...(comment !== undefined && { comment }),
    }));
}

function create({ state, params }: ApiCall): Json {
  const id = params.groupid as string;
  if (state.access.groups[id]) throw died(`create group failed: group '${id}' already exists`);
  state.access.groups[id] = { users: [], ...(params.comment !== undefined && { comment: params.comment }) };
  return null;
}

function one({ state, params }: ApiCall): Json {
  const group = state.access.groups[params.groupid ?? ""];
  if (!group) throw died(`group '${params.groupid}' does not exist`);
  return { members: [...group.users].sort(), ...(group.comment !== undefined && { comment: group.comment }) };
}

function change({ state, params }: ApiCall): Json {
  const group = state.access.groups[params.groupid ?? ""];
  if (!group) throw died(`update group failed: group '${params.groupid}' does not exist`);
  if (params.comment !== undefined) group.comment = params.comment;
  return null;
}

function remove({ state, params }: ApiCall): Json {
  const id = params.groupid as string;
  if (!state.access.groups[id]) throw died(`delete group failed: group '${id}' does not exist`);
  delete state.access.groups[id];
  state.access.acl = state.access.acl.filter((entry) => entry.kind !== "group" || entry.id !== id);
  return null;
}

const ALLOCATE = { privilege: ["/access/groups", "Group.Allocate"] } as const;
const READ = { anyPrivilege: ["/access/groups", "Sys.Audit", "Group.Allocate"] } as const;

export const groupRoutes: Method[] = [
  route("GET", "/access/groups", { permission: { user: "all" } }, list),
  route("POST", "/access/groups", { permission: ALLOCATE, parameters: { groupid, comment: OPTIONAL_TEXT } }, create),
  route("GET", "/access/groups/:groupid", { permission: READ }, one),
  route("PUT", "/access/groups/:groupid", { permission: ALLOCATE, parameters: { comment: OPTIONAL_TEXT } }, change),
  route("DELETE", "/access/groups/:groupid", { permission: ALLOCATE }, remove),
];
