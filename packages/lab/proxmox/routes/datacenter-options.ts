import type { Json } from "@talosmith/lib/json.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_LIST, OPTIONAL_TEXT, propertyString } from "../parameters/formats.ts";
import type { Properties, Property } from "../parameters/property.ts";
import { parsePropertyString } from "../parameters/property-string.ts";
import type { Release } from "../release.ts";

const id: Property = { type: "integer", optional: true, minimum: 100, maximum: 999_999_999 };
const choice = (...values: string[]): Property => ({ type: "string", optional: true, enum: values });
const percent: Property = { type: "number", optional: true, minimum: 0, maximum: 100, requires: "ha-auto-rebalance" };

export const NEXT_ID: Properties = { lower: id, upper: id };

const SCHEDULER_8: Properties = { ha: choice("basic", "static"), "ha-rebalance-on-start": OPTIONAL_BOOLEAN };
const SCHEDULER_9: Properties = {
  ...SCHEDULER_8,
  ha: choice("basic", "static", "dynamic"),
  "ha-auto-rebalance": OPTIONAL_BOOLEAN,
  "ha-auto-rebalance-threshold": percent,
  "ha-auto-rebalance-method": { ...choice("bruteforce", "topsis"), requires: "ha-auto-rebalance" },
  "ha-auto-rebalance-hold-duration": { type: "number", optional: true, minimum: 0, requires: "ha-auto-rebalance" },
  "ha-auto-rebalance-margin": percent,
};
const TRANSFER: Properties = { type: { type: "string", enum: ["secure", "insecure"], defaultKey: true }, network: OPTIONAL_TEXT };

/** Datacenter options that are property strings: written as text, read as objects (DataCenterConfig.pm). */
const FORMATS: Properties8And9 = {
  crs: { 8: SCHEDULER_8, 9: SCHEDULER_9 },
  ha: { shutdown_policy: { type: "string", enum: ["freeze", "failover", "conditional", "migrate"] } },
  migration: TRANSFER,
  "next-id": NEXT_ID,
  notify: {
    "package-updates": choice("auto", "always", "never"),
    "target-package-updates": OPTIONAL_TEXT,
    fencing: choice("always", "never"),
    "target-fencing": OPTIONAL_TEXT,
    replication: choice("always", "never"),
    "target-replication": OPTIONAL_TEXT,
  },
  replication: TRANSFER,
  "tag-style": {
    shape: choice("full", "circle", "dense", "none"),
    "color-map": OPTIONAL_TEXT,
    ordering: choice("config", "alphabetical"),
    "case-sensitive": OPTIONAL_BOOLEAN,
  },
  u2f: { appid: OPTIONAL_TEXT, origin: OPTIONAL_TEXT },
  "user-tag-access": { "user-allow": choice("none", "list", "existing", "free"), "user-allow-list": OPTIONAL_TEXT },
  webauthn: { rp: OPTIONAL_TEXT, origin: OPTIONAL_TEXT, id: OPTIONAL_TEXT, "allow-subdomains": OPTIONAL_BOOLEAN },
};

type Properties8And9 = Readonly<Record<string, Properties | { 8: Properties; 9: Properties }>>;

function formatOf(key: string, { major }: Release): Properties | undefined {
  const format = FORMATS[key];
  return format && 9 in format ? (format as { 8: Properties; 9: Properties })[major] : (format as Properties | undefined);
}

/** An option as it is read. */
export function opened(key: string, value: string, release: Release): Json {
  if (key === "registered-tags") return value.split(";");
  if (key === "max_workers") return Number(value);
  const format = formatOf(key, release);
  if (!format) return value;
  const parts = parsePropertyString(format, value, key);
  return Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, partOf(format[name], name, text)]));
}

function partOf(property: Property | undefined, name: string, text: string): Json {
  if (name === "user-allow-list") return text.split(";");
  return property?.type === "boolean" ? Number(text) : text;
}

export function datacenterOptions(release: Release): Properties {
  const plain = ["bwlimit", "consent-text", "description", "email_from", "keyboard", "language", "registered-tags"];
  const composed = Object.keys(FORMATS).filter((key) => key !== "replication" || release.major === 9);
  return {
    ...Object.fromEntries([...plain, ...(release.major === 9 ? ["location"] : [])].map((key) => [key, OPTIONAL_TEXT])),
    ...Object.fromEntries(
      composed.map((key) => [key, { type: "string", optional: true, format: propertyString(formatOf(key, release) ?? {}) }]),
    ),
    console: choice("applet", "vv", "html5", "xtermjs"),
    delete: OPTIONAL_LIST,
    fencing: choice("watchdog", "hardware", "both"),
    http_proxy: { type: "string", optional: true, pattern: /^http:\/\/.*$/ },
    mac_prefix: { type: "string", optional: true, pattern: /^[a-f0-9][02468ace](?::[a-f0-9]{2}){0,2}:?$/i },
    max_workers: { type: "integer", optional: true, minimum: 1 },
    migration_unsecure: OPTIONAL_BOOLEAN,
  };
}
