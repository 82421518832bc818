import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { address, DIGEST, OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT } from "../parameters/formats.ts";
import { type Format, FormatError, type Properties, type Property } from "../parameters/property.ts";
import { splitList } from "../parameters/schema.ts";
import { died } from "../refusal.ts";
import type { ProxmoxState, Realm } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

/** Authentication realms. The lab stores the settings of external servers, and contacts none of them. */
const short: Property = { type: "string", optional: true, maxLength: 256 };
const server: Property = { ...short, format: address };
const OPTIONS: Properties = {
  default: OPTIONAL_BOOLEAN,
  comment: { type: "string", optional: true, maxLength: 4096 },
  tfa: OPTIONAL_TEXT,
  server1: server,
  server2: server,
  port: { type: "integer", optional: true, minimum: 1, maximum: 65_535 },
  secure: OPTIONAL_BOOLEAN,
  sslversion: { type: "string", optional: true, enum: ["tlsv1", "tlsv1_1", "tlsv1_2", "tlsv1_3"] },
  verify: OPTIONAL_BOOLEAN,
  capath: OPTIONAL_TEXT,
  cert: OPTIONAL_TEXT,
  certkey: OPTIONAL_TEXT,
  mode: { type: "string", optional: true, enum: ["ldap", "ldaps", "ldap+starttls"] },
  domain: { ...short, pattern: /^\S+$/ },
  base_dn: short,
  bind_dn: short,
  password: OPTIONAL_TEXT,
  user_attr: { ...short, pattern: /^\S{2,}$/ },
  user_classes: OPTIONAL_TEXT,
  filter: { type: "string", optional: true, maxLength: 2048 },
  group_dn: short,
  group_name_attr: short,
  group_classes: OPTIONAL_TEXT,
  group_filter: { type: "string", optional: true, maxLength: 2048 },
  sync_attributes: { type: "string", optional: true, pattern: /^\w+=[^,]+(,\s*\w+=[^,]+)*$/ },
  "sync-defaults-options": OPTIONAL_TEXT,
  "case-sensitive": OPTIONAL_BOOLEAN,
  "issuer-url": short,
  "client-id": short,
  "client-key": short,
  autocreate: OPTIONAL_BOOLEAN,
  "username-claim": OPTIONAL_TEXT,
  "groups-claim": short,
  "groups-autocreate": OPTIONAL_BOOLEAN,
  "groups-overwrite": OPTIONAL_BOOLEAN,
  prompt: OPTIONAL_TEXT,
  scopes: OPTIONAL_TEXT,
  "acr-values": OPTIONAL_TEXT,
  "query-userinfo": OPTIONAL_BOOLEAN,
  audiences: OPTIONAL_TEXT,
};

const COMMON = ["default", "comment"];
const DIRECTORY = [
  ...["tfa", "server2", "port", "secure", "sslversion", "verify", "capath", "cert", "certkey", "mode", "bind_dn", "password"],
  ...["user_classes", "filter", "group_dn", "group_name_attr", "group_classes", "group_filter", "sync_attributes"],
  ...["sync-defaults-options", "case-sensitive"],
];
/** Required, optional and immutable settings of each type of realm. */
const KINDS: Readonly<Record<string, { needs: readonly string[]; takes: readonly string[]; fixed?: string }>> = {
  pam: { needs: [], takes: ["tfa"] },
  pve: { needs: [], takes: ["tfa"] },
  ldap: { needs: ["server1", "base_dn", "user_attr"], takes: DIRECTORY },
  ad: { needs: ["server1", "domain"], takes: [...DIRECTORY, "base_dn", "user_attr"] },
  openid: {
    needs: ["issuer-url", "client-id"],
    takes: [
      ...["client-key", "autocreate", "username-claim", "groups-claim", "groups-autocreate", "groups-overwrite", "prompt"],
      ...["scopes", "acr-values", "query-userinfo", "audiences"],
    ],
    fixed: "username-claim",
  },
};

/** All realms, including the two of every installation, whether or not they have settings. */
function allRealms({ access }: ProxmoxState): Record<string, Realm> {
  return {
    ...access.realms,
    pve: { comment: "Proxmox VE authentication server", ...access.realms.pve, type: "pve" },
    pam: { comment: "Linux PAM standard authentication", ...access.realms.pam, type: "pam", plugin: "PVE::Auth::PAM" },
  };
}

function digestOf({ access }: ProxmoxState): string {
  return createHash("sha1").update(JSON.stringify(access.realms)).digest("hex");
}

function list({ state }: ApiCall): Json {
  return Object.entries(allRealms(state)).map(([realm, { type = "", comment, default: preferred, tfa }]) => ({
    realm,
    type,
    ...(comment && { comment }),
    ...(preferred === "1" && { default: 1 }),
    ...(tfa !== undefined && { tfa: /type=(\w+)/.exec(tfa)?.[1] ?? null }),
  }));
}

function one({ state, params }: ApiCall): Json {
  const found = allRealms(state)[params.realm ?? ""];
  if (!found) throw died(`domain '${params.realm}' does not exist`);
  const shown = Object.entries(found).map(([key, value]) => [key, isNumber(key) ? Number(value) : value]);
  return { ...Object.fromEntries(shown), digest: digestOf(state) };
}

function isNumber(key: string): boolean {
  return ["boolean", "integer"].includes(OPTIONS[key]?.type ?? "");
}

/** Checks the settings of a realm; its server's password is stored separately and never shown. */
function checked(kind: string, given: Realm, create: boolean, failed: (why: string) => Error): Realm {
  const { needs, takes, fixed } = KINDS[kind] ?? { needs: [], takes: [] };
  for (const key of Object.keys(given)) {
    if (!create && key === fixed) throw failed(`can't change value of fixed parameter '${key}'`);
    if (![...COMMON, ...needs, ...takes].includes(key)) throw failed(`unexpected property '${key}'`);
  }
  const missing = needs.find((key) => create && given[key] === undefined);
  if (missing !== undefined) throw failed(`missing value for required option '${missing}'`);
  const { password: _, ...rest } = given;
  return rest;
}

/** At most one realm is the default of the login form. */
function keep({ access }: ProxmoxState, realm: string, values: Realm): void {
  if (values.default === "1") for (const other of Object.values(access.realms)) delete other.default;
  access.realms[realm] = values;
}

function create({ state, params }: ApiCall): Json {
  const failed = (why: string) => died(`add auth server failed: ${why}`);
  const { realm = "", type = "", "check-connection": asked, ...given } = params;
  if (allRealms(state)[realm]) throw failed(`domain '${realm}' already exists`);
  if (type === "pam" || type === "pve") throw failed(`unable to create builtin type '${type}'`);
  requireDirectory(type, asked, failed);
  keep(state, realm, { type, ...checked(type, given, true, failed) });
  return null;
}

function change({ state, params }: ApiCall): Json {
  const failed = (why: string) => died(`update auth server failed: ${why}`);
  const { realm = "", digest, delete: remove, "check-connection": asked, ...given } = params;
  if (digest !== undefined && digest !== digestOf(state))
    throw failed("detected modified configuration - file changed by other user? Try again.");
  const before = allRealms(state)[realm];
  if (!before) throw failed(`domain '${realm}' does not exist`);
  requireDirectory(before.type ?? "", asked, failed);
  if (remove === undefined && Object.keys(given).length === 0) throw failed("no options specified");
  const values = { ...state.access.realms[realm], type: before.type ?? "" };
  for (const key of splitList(remove)) delete (values as Realm)[key];
  keep(state, realm, { ...values, ...checked(before.type ?? "", given, false, failed) });
  return null;
}

function requireDirectory(type: string, asked: string | undefined, failed: (why: string) => Error): void {
  if (asked !== undefined && type !== "ldap" && type !== "ad")
    throw failed("'check-connection' parameter can only be set for realms of type 'ldap' or 'ad'");
}

function remove({ state, params }: ApiCall): Json {
  const realm = params.realm ?? "";
  if (!allRealms(state)[realm]) throw died(`delete auth server failed: authentication domain '${realm}' does not exist`);
  delete state.access.realms[realm];
  return null;
}

const ALLOCATE = { privilege: ["/access/realm", "Realm.Allocate"] } as const;
const realmName: Format = (value) => {
  if (!/^[A-Za-z][A-Za-z0-9.\-_]+$/.test(value)) throw new FormatError("value does not look like a valid realm");
};
const realm: Property = { type: "string", format: realmName, maxLength: 32 };
const type: Property = { type: "string", enum: Object.keys(KINDS).sort() };
const CREATE: Properties = { ...OPTIONS, realm, type, "check-connection": OPTIONAL_BOOLEAN };
const CHANGE: Properties = { ...OPTIONS, "check-connection": OPTIONAL_BOOLEAN, delete: OPTIONAL_LIST, digest: DIGEST };

export const domainRoutes: Method[] = [
  route("GET", "/access/domains", { permission: { user: "world" } }, list),
  route("POST", "/access/domains", { permission: ALLOCATE, parameters: CREATE }, create),
  route("GET", "/access/domains/:realm", { permission: { anyPrivilege: ["/access/realm", "Realm.Allocate", "Sys.Audit"] } }, one),
  route("PUT", "/access/domains/:realm", { permission: ALLOCATE, parameters: CHANGE }, change),
  route("DELETE", "/access/domains/:realm", { permission: ALLOCATE }, remove),
];
