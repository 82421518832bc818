import ipaddr from "ipaddr.js";
import { quoted } from "./values.ts";

/** Checks an address in the order of netip.ParseAddr. */
export function addressProblem(text: string): string | undefined {
  const refuse = (why: string) => `ParseAddr(${quoted(text)}): ${why}`;
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === undefined) return refuse("unable to parse IP");
  if (mark === "%") return refuse("missing IPv6 address");
  if (mark === ":") {
    const problem = address6Problem(text);
    return problem === undefined ? undefined : refuse(problem);
  }
  const parts = text.split(".");
  for (const [index, part] of parts.entries()) {
    if (/[^0-9]/.test(part)) return refuse(`unexpected character (at ${quoted(text.slice(text.search(/[^0-9.]/)))})`);
    if (part === "") return refuse(`IPv4 field must have at least one digit (at ${quoted(parts.slice(index).join(".") || ".")})`);
    if (Number(part) > 255) return refuse("IPv4 field has value >255");
    if (part.length > 1 && part.startsWith("0")) return refuse("IPv4 field has octet with leading zero");
    if (index > 3) return refuse("IPv4 address too long");
  }
  return parts.length < 4 ? refuse("IPv4 address too short") : undefined;
}

/** Checks an IPv6 address field by field, from the left. */
function address6Problem(text: string): string | undefined {
  let rest = text;
  const percent = rest.indexOf("%");
  if (percent >= 0) {
    if (percent === rest.length - 1) return "zone must be a non-empty string";
    rest = rest.slice(0, percent);
  }
  const at = (why: string, where: string) => `${why} (at ${quoted(where)})`;
  let skipped = false;
  if (rest.startsWith("::")) {
    skipped = true;
    rest = rest.slice(2);
    if (rest === "") return undefined;
  }
  let fields = 0;
  for (; fields < 8; fields++) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return at("each group must have 4 or less digits", rest);
    if (digits === "") return at("each colon-separated field must have at least one digit", rest);
    if (rest[digits.length] === ".") {
      if (!skipped && fields !== 6) return at("embedded IPv4 address must replace the final 2 fields of the address", rest);
      return ipaddr.IPv4.isValidFourPartDecimal(rest) ? undefined : at("IPv4 field must have at least one digit", rest);
    }
    rest = rest.slice(digits.length);
    if (rest === "") {
      fields++;
      break;
    }
    if (!rest.startsWith(":")) return at("unexpected character, want colon", rest);
    if (rest === ":") return at("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (skipped) return at("multiple :: in address", rest);
      skipped = true;
      rest = rest.slice(1);
      if (rest === "") {
        fields++;
        break;
      }
    }
  }
  if (fields === 8 && rest !== "") return at("trailing garbage after address", rest);
  if (fields < 8 && !skipped) return "address string too short";
  return fields === 8 && skipped ? "the :: must expand to at least one field of zeros" : undefined;
}

/** netip.ParsePrefix */
export function prefixProblem(text: string): string | undefined {
  const refuse = (why: string) => `netip.ParsePrefix(${quoted(text)}): ${why}`;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return refuse("no '/'");
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  const problem = addressProblem(address);
  if (problem !== undefined) return refuse(problem);
  if (bits.length > 1 && !/^[1-9]/.test(bits)) return refuse(`bad bits after slash: ${quoted(bits)}`);
  if (!/^\d+$/.test(bits)) return refuse(`bad bits after slash: ${quoted(bits)}`);
  return Number(bits) > (address.includes(":") ? 128 : 32) ? refuse("prefix length out of range") : undefined;
}

export function addressPortProblem(text: string): string | undefined {
  const colon = text.lastIndexOf(":");
  if (colon < 0) return "not an ip:port";
  const [host, port] = [text.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), text.slice(colon + 1)];
  if (host === "") return "no IP";
  if (port === "") return "no port";
  if (!/^\d+$/.test(port) || Number(port) > 65_535) return `invalid port ${quoted(port)} parsing ${quoted(text)}`;
  return addressProblem(host);
}
