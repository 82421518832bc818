import { createHash } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { DIGEST, ip } from "../parameters/formats.ts";
import type { Property } from "../parameters/property.ts";
import { badParameters, died } from "../refusal.ts";
import { type Host, hostNamed } from "../state.ts";
import { type ApiCall, type Method, route } from "./route.ts";

/** The host of a call: names, resolvers, time. Handlers run after the host was found. */
function hostOf({ state, node }: ApiCall): Host {
  return hostNamed(state, node) as Host;
}

function names(call: ApiCall): { digest: string; data: string } {
  const { hostsFile } = hostOf(call);
  return { digest: createHash("sha1").update(hostsFile).digest("hex"), data: hostsFile };
}

function changeNames(call: ApiCall): Json {
  const { digest, data = "" } = call.params;
  if (digest !== undefined && digest !== names(call).digest)
    throw died("detected modified configuration - file changed by other user? Try again.");
  for (const line of data.split("\n")) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [address = "", ...aliases] = line.split(/\s+/);
    if (!isAddress(address)) throw badParameters({ data: `Invalid IP '${address}'` });
    const wrong = aliases.find((alias) => alias !== "" && !/^[.\-a-zA-Z0-9]+$/.test(alias));
    if (wrong !== undefined) throw badParameters({ data: `Invalid Hostname '${wrong}'` });
  }
  hostOf(call).hostsFile = data;
  return null;
}

function isAddress(text: string): boolean {
  try {
    ip(text, "");
    return true;
  } catch {
    return false;
  }
}

function resolvers(call: ApiCall): Json {
  const { search, servers } = hostOf(call).resolver;
  const numbered = servers.slice(0, 3).map((server, index) => [`dns${index + 1}`, server]);
  return { ...(search !== undefined && { search }), ...Object.fromEntries(numbered) };
}

function changeResolvers(call: ApiCall): Json {
  const { search = "", dns1, dns2, dns3 } = call.params;
  const given = [dns1, dns2, dns3].filter((one): one is string => one !== undefined && one !== "0.0.0.0");
  hostOf(call).resolver = { ...(search !== "" && { search }), servers: [...new Set(given)] };
  return null;
}

/** The real time of day, as on the lab's Talos machines: certificates are created by it. */
function time(call: ApiCall): Json {
  const { timezone } = hostOf(call);
  const now = call.lab.world.clock.now();
  return { timezone, time: Math.floor(now / 1000), localtime: Math.floor(now / 1000) + offsetOf(timezone, now) };
}

/** Seconds that a zone is ahead of UTC. */
function offsetOf(timeZone: string, now: number): number {
  const name = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(now);
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name.map(({ value }) => value).join("")) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60);
}

function changeZone(call: ApiCall): Json {
  const { timezone = "" } = call.params;
  if (!isZone(timezone)) throw badParameters({ timezone: "No such timezone" });
  hostOf(call).timezone = timezone;
  return null;
}

/** Whether the zone database has this name; Intl would also accept lower case. */
function isZone(timeZone: string): boolean {
  if (!/^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/.test(timeZone)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }) !== undefined;
  } catch {
    return false;
  }
}

const AUDIT = { permission: { privilege: ["/nodes/:node", "Sys.Audit"] } } as const;
const MODIFY = { permission: { privilege: ["/nodes/:node", "Sys.Modify"] } } as const;
const TEXT: Property = { type: "string" };
const server: Property = { type: "string", format: ip, optional: true };

export const hostSettingRoutes: Method[] = [
  route("GET", "/nodes/:node/hosts", { permission: { privilege: ["/", "Sys.Audit"] } }, (call) => ({ ...names(call) })),
  route("POST", "/nodes/:node/hosts", { ...MODIFY, parameters: { digest: DIGEST, data: TEXT } }, changeNames),
  route("GET", "/nodes/:node/dns", AUDIT, resolvers),
  route(
    "PUT",
    "/nodes/:node/dns",
    { ...MODIFY, parameters: { search: TEXT, dns1: server, dns2: server, dns3: server } },
    changeResolvers,
  ),
  route("GET", "/nodes/:node/time", AUDIT, time),
  route("PUT", "/nodes/:node/time", { ...MODIFY, parameters: { timezone: TEXT } }, changeZone),
];
