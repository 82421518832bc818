import type { Incoming } from "../../kernel/answer.ts";
import { parseUpid } from "../jobs/upid.ts";
import type { RawParameters } from "../parameters/schema.ts";
import { readBody } from "./request.ts";

/** The subject of a call in words that do not change between runs, for faults and the recorder. */
export function resourceOf(incoming: Incoming, path: Record<string, string>): string {
  const body = bodyOf(incoming);
  const { node, vmid, storage, upid, volume, poolid, userid, roleid, groupid, sid, id } = path;
  const task = upid === undefined ? undefined : parseUpid(upid);
  if (task) return `task ${task.type} ${task.id}`.trim();
  const machine = body.newid ?? vmid ?? (storage === undefined ? body.vmid : undefined);
  if (machine !== undefined) return `vm ${machine}`;
  if (storage !== undefined) return [`${node ?? "*"}:${storage}`, volume ?? body.filename].filter(Boolean).join(" ");
  if (poolid ?? body.poolid) return `pool ${poolid ?? body.poolid}`;
  if (userid !== undefined) return `user ${userid}`;
  if (roleid !== undefined) return `role ${roleid}`;
  if (groupid !== undefined) return `group ${groupid}`;
  if (sid ?? body.sid) return `ha ${sid ?? body.sid}`;
  if (id !== undefined) return `mapping ${id}`;
  return node === undefined ? "cluster" : `node ${node}`;
}

/** The parameters, with the file name of an upload; an unreadable body is refused later. */
function bodyOf(incoming: Incoming): RawParameters {
  try {
    const { params, file } = readBody(incoming, /\/upload$/.test(incoming.path));
    return file ? { ...params, filename: file.name } : params;
  } catch {
    return {};
  }
}
