import ipaddr from "ipaddr.js";
import { type Format, FormatError, type Properties, type Property } from "./property.ts";
import { parsePropertyString } from "./property-string.ts";
import { splitList } from "./schema.ts";

function matching(pattern: RegExp, complaint: string): Format {
  return (value) => {
    if (!pattern.test(value)) throw new FormatError(complaint);
  };
}

export function listOf(format: Format): Format {
  return (value, path, release) => {
    for (const item of splitList(value)) format(item, path, release);
  };
}

export function propertyString(properties: Properties): Format {
  return (value, path, release) => void parsePropertyString(properties, value, path, release);
}

const DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";

export const vmIdFormat = matching(/^[1-9][0-9]{2,8}$/, "value does not look like a valid VM ID");
export const nodeName = matching(new RegExp(`^${DNS_LABEL}$`), "value does not look like a valid node name");
export const dnsName = matching(new RegExp(`^(?:${DNS_LABEL}\\.)*${DNS_LABEL}$`), "value does not look like a valid DNS name");
export const macAddress = matching(
  /^[a-f0-9][02468ace](?::[a-f0-9]{2}){5}$/i,
  "value does not look like a valid unicast MAC address",
);
export const configId = matching(/^[a-z][a-z0-9_-]*$/i, "invalid configuration ID");
export const tag = matching(/^[a-z0-9_][a-z0-9_\-+.]*$/i, "invalid characters in tag");
export const storageId: Format = (value) => {
  if (!/^[a-z][a-z0-9\-_.]*[a-z0-9]$/i.test(value)) throw new FormatError(`storage ID '${value}' contains illegal characters`);
};
/** Any known content type. */
export const storageContent: Format = (value) => {
  if (!/^(?:images|rootdir|vztmpl|iso|backup|snippets|import|none)$/.test(value))
    throw new FormatError(`invalid content type '${value}'`);
};
export const diskSize = matching(/^\d+(?:\.\d+)?[KMGT]?$/, "value does not look like a valid disk size");
export const urlEncoded = matching(/^[-%a-zA-Z0-9_.!~*'()]*$/, "value does not look like a urlencoded string");
export const bridgeId = matching(/^[-_.\w\d]+$/, "invalid bridge ID");

const isIPv4 = (value: string) => ipaddr.IPv4.isValidFourPartDecimal(value);
const isIPv6 = (value: string) => ipaddr.IPv6.isValid(value) && !value.includes("%");

export const ipv4: Format = (value) => {
  if (!isIPv4(value)) throw new FormatError("value does not look like a valid IPv4 address");
};
export const ipv6: Format = (value) => {
  if (!isIPv6(value)) throw new FormatError("value does not look like a valid IPv6 address");
};
export const ip: Format = (value) => {
  if (!isIPv4(value) && !isIPv6(value)) throw new FormatError("value does not look like a valid IP address");
};
export const address: Format = (value, path) => {
  if (isIPv4(value) || isIPv6(value)) return;
  try {
    dnsName(value, path);
  } catch {
    throw new FormatError(`value does not look like a valid address: ${value}`);
  }
};
export const ipv4Config: Format = (value) => {
  const [ip = "", bits = "", more] = value.split("/");
  if (value === "dhcp" || (more === undefined && isIPv4(ip) && /^\d+$/.test(bits) && Number(bits) <= 32)) return;
  throw new FormatError("value does not look like a valid ipv4 network configuration");
};
export const ipv6Config: Format = (value) => {
  const [ip = "", bits = "", more] = value.split("/");
  if (value === "dhcp" || value === "auto") return;
  if (more === undefined && isIPv6(ip) && /^\d+$/.test(bits) && Number(bits) <= 128) return;
  throw new FormatError("value does not look like a valid ipv6 network configuration");
};

/** Parameters that many methods share. */
export const NODE: Property = { type: "string", format: nodeName };
export const VMID: Property = { type: "integer", format: vmIdFormat, minimum: 100, maximum: 999_999_999 };
export const STORAGE: Property = { type: "string", format: storageId };
export const DIGEST: Property = { type: "string", maxLength: 64, optional: true };
export const OPTIONAL_BOOLEAN: Property = { type: "boolean", optional: true };
export const OPTIONAL_LIST: Property = { type: "string", optional: true, list: true };
export const OPTIONAL_CONTENTS: Property = { ...OPTIONAL_LIST, format: listOf(storageContent) };
export const OPTIONAL_TEXT: Property = { type: "string", optional: true };
