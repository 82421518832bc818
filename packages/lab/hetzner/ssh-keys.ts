import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import * as z from "zod";
import type { Incoming, Reply } from "../kernel/answer.ts";
import type { Lab } from "../kernel/kernel.ts";
import { bodyOf, byId, hetzner, listReply, moment } from "./call.ts";
import { checkLabels } from "./labels.ts";
import { invalid, json, notUnique, Refused } from "./refused.ts";
import type { SshKeyState } from "./state.ts";

const LABELS = z.record(z.string(), z.string());
const NEW = z.object({ name: z.string().min(1).max(255), public_key: z.string().min(1), labels: LABELS.default({}) });
const CHANGE = z.object({ name: z.string().min(1).max(255).exactOptional(), labels: LABELS.exactOptional() });

export function listSshKeys(lab: Lab, incoming: Incoming): Reply {
  const fingerprint = incoming.query.get("fingerprint");
  const keys = hetzner(lab).sshKeys.filter((key) => fingerprint === null || key.fingerprint === fingerprint);
  return listReply("ssh_keys", keys, incoming, sshKeyView);
}

export function getSshKey(lab: Lab, id: string): Reply {
  return json(200, { ssh_key: sshKeyView(sshKeyById(lab, id)) });
}

export function createSshKey(lab: Lab, incoming: Incoming): Reply {
  const { sshKeys } = hetzner(lab);
  const { name, public_key, labels } = bodyOf(incoming, NEW);
  const fingerprint = fingerprintOf(public_key);
  checkName(lab, name);
  if (sshKeys.some((key) => key.fingerprint === fingerprint))
    throw notUnique("public_key", "SSH key with the same fingerprint already exists");
  const key = {
    id: lab.serial("hetzner ssh key"),
    name,
    fingerprint,
    publicKey: public_key.trim(),
    labels: checkLabels(labels),
    created: lab.now(),
  };
  sshKeys.push(key);
  return json(201, { ssh_key: sshKeyView(key) });
}

export function changeSshKey(lab: Lab, id: string, incoming: Incoming): Reply {
  const key = sshKeyById(lab, id);
  const { name, labels } = bodyOf(incoming, CHANGE);
  if (name !== undefined && name !== key.name) checkName(lab, name);
  key.name = name ?? key.name;
  key.labels = labels === undefined ? key.labels : checkLabels(labels);
  return getSshKey(lab, id);
}

export function deleteSshKey(lab: Lab, id: string): Reply {
  const { sshKeys } = hetzner(lab);
  sshKeys.splice(sshKeys.indexOf(sshKeyById(lab, id)), 1);
  return { status: 204 };
}

function sshKeyById(lab: Lab, id: string): SshKeyState {
  const key = byId(hetzner(lab).sshKeys, id);
  if (key === undefined) throw new Refused("not_found", `SSH key with ID '${id}' not found`);
  return key;
}

function checkName(lab: Lab, name: string): void {
  if (hetzner(lab).sshKeys.some((key) => key.name === name)) throw notUnique("name", "SSH key name is already used");
}

/** MD5 of the key's bytes, as older versions of ssh-keygen showed it. */
export function fingerprintOf(publicKey: string): string {
  const [type = "", encoded = ""] = publicKey.trim().split(/\s+/);
  const bytes = Buffer.from(encoded, "base64");
  // The key's bytes begin with the length and the name of its type.
  const named = bytes.length > 4 ? bytes.toString("latin1", 4, 4 + Math.min(bytes.readUInt32BE(0), 64)) : "";
  if (named === "" || named !== type) throw invalid("public_key", "must be a valid OpenSSH public key");
  return createHash("md5")
    .update(bytes)
    .digest("hex")
    .replace(/..(?=.)/g, "$&:");
}

function sshKeyView(key: SshKeyState): Json {
  const { id, name, fingerprint, publicKey, labels, created } = key;
  return { id, name, fingerprint, public_key: publicKey, labels, created: moment(created) };
}
