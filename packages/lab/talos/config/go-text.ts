import { addressPortProblem, addressProblem, prefixProblem } from "./go-netip.ts";
import { quoted } from "./values.ts";

/** Valid names of a type, in any case; newer ones with the minor version that added them. */
const NAMES: Readonly<Record<string, readonly (string | readonly [string, number])[]>> = {
  "block.EncryptionProviderType": ["none", "luks2"],
  "block.FilesystemType": ["none", "xfs", "vfat", "ext4", "iso9660", "swap", ["virtiofs", 13], ["btrfs", 14]],
  "block.VolumeType": ["partition", "disk", "tmpfs", "directory", "symlink", "overlay", ["external", 13]],
  "nethelpers.ADLACPActive": ["off", "on"],
  "nethelpers.ADSelect": ["stable", "bandwidth", "count"],
  "nethelpers.ARPAllTargets": ["any", "all"],
  "nethelpers.ARPValidate": ["none", "active", "backup", "all", "filter", "filter-active", "filter-backup"],
  "nethelpers.AutoHostnameKind": ["off", "talos-addr", "stable"],
  "nethelpers.BondMode": ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb"],
  "nethelpers.BondXmitHashPolicy": ["layer2", "layer3+4", "layer2+3", "encap2+3", "encap3+4"],
  "nethelpers.ClientIdentifier": ["none", "mac", "duid"],
  "nethelpers.DNSProtocol": ["Do53", "DoT", "DoH"],
  "nethelpers.DefaultAction": ["accept", "block"],
  "nethelpers.FailOverMAC": ["none", "active", "follow"],
  "nethelpers.LACPRate": ["slow", "fast"],
  "nethelpers.PrimaryReselect": ["always", "better", "failure"],
  "nethelpers.Protocol": ["icmp", "tcp", "udp", "icmpv6"],
  "nethelpers.RoutingRuleAction": ["unspec", "unicast", "blackhole", "unreachable", "prohibit"],
  "nethelpers.RoutingTable": [
    "unspec",
    ...Array.from({ length: 252 }, (_, index) => String(index + 1)),
    "default",
    "main",
    "local",
  ],
  "nethelpers.VLANProtocol": ["802.1q", "802.1ad"],
  "nethelpers.WOLMode": ["phy", "unicast", "multicast", "broadcast", "magic", "magicsecure", "filter"],
  "storage.LVMLogicalVolumeType": ["linear", "raid1", "raid0", "raid10"],
  "storage.MDLevel": ["raid1"],
  "storage.MDMetadata": ["1.0", "1.2"],
};

/** Go's error for a text that a type does not accept; undefined when it does. */
export function readAsText(type: string, text: string, minor: number): string | undefined {
  const names = NAMES[type];
  if (names) {
    const taken = names.flatMap((name) => (typeof name === "string" ? [name] : name[1] <= minor ? [name[0]] : []));
    if (taken.some((name) => name.toLowerCase() === text.toLowerCase())) return undefined;
    if (type === "nethelpers.FailOverMAC") return `invalid fail_over_mac value ${text}`;
    return `${text} does not belong to ${type.split(".")[1]} values`;
  }
  return READERS[type.split(".")[1] ?? ""]?.(text, minor);
}

const READERS: Readonly<Record<string, (text: string, minor: number) => string | undefined>> = {
  Addr: (text) => (text === "" ? undefined : addressProblem(text)),
  AddrPort: (text) => (text === "" ? undefined : addressPortProblem(text)),
  Prefix: (text) => (text === "" ? undefined : prefixProblem(text)),
  URL: (text) => urlProblem(text),
  Endpoint: (text) => urlProblem(text),
  HardwareAddr: (text) => hexProblem(text.replaceAll(":", "")),
  ByteSize: (text, minor) => (text === "" ? undefined : bytesProblem(unsigned(text, minor))),
  Size: (text, minor) =>
    text === "" ? undefined : text.includes("%") ? percentProblem(text) : bytesProblem(unsigned(text, minor)),
  PercentageSize: (text) => (text === "" ? undefined : percentProblem(text)),
  DiskSize: (text) => bytesProblem(text),
  Base64Bytes: base64Problem,
  PortRange: portsProblem,
  InstallDiskSizeMatcher: (text) => {
    const [, , size = ""] = /^(>=|<=|>|<|==)?(.*)$/s.exec(text.trim()) ?? [];
    const problem = bytesProblem(size.trim());
    return problem && `failed to parse disk size ${size}: ${problem}`;
  },
};

/** 1.12 has no negative sizes. */
function unsigned(text: string, minor: number): string {
  return minor > 12 ? text.replace(/^-/, "") : text;
}

/** Checks a URL as url.Parse does, which refuses little. */
export function urlProblem(text: string): string | undefined {
  const refuse = (why: string) => `parse ${quoted(text)}: ${why}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Go looks for.
  if (/[\x00-\x1f\x7f]/.test(text)) return refuse("net/url: invalid control character in URL");
  if (text.startsWith(":")) return refuse("missing protocol scheme");
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0];
  if (badEscape !== undefined) return refuse(`invalid URL escape ${quoted(badEscape)}`);
  const authority = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/([^/?#]*)/.exec(text)?.[1]?.replace(/^.*@/, "");
  if (authority === undefined) {
    const first = text.split(/[/?#]/)[0] ?? "";
    if (/^[^:]*[^a-zA-Z0-9+.:-][^:]*:/.test(first) || /^[0-9][^:]*:/.test(first))
      return refuse("first path segment in URL cannot contain colon");
    return undefined;
  }
  if (authority.startsWith("[") && !authority.includes("]")) return refuse("missing ']' in host");
  const space = / /.exec(authority);
  if (space) return refuse('invalid character " " in host name');
  const port = /:([^:\]]*)$/.exec(authority)?.[1];
  if (port !== undefined && !/^\d*$/.test(port)) return refuse(`invalid port ${quoted(`:${port}`)} after host`);
  return undefined;
}

function hexProblem(hex: string): string | undefined {
  const odd = /[^0-9a-fA-F]/.exec(hex);
  if (odd)
    return `encoding/hex: invalid byte: U+${odd[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")} '${odd[0]}'`;
  return hex.length % 2 === 1 ? "encoding/hex: odd length hex string" : undefined;
}

const SIZES = [
  "",
  "b",
  "kb",
  "mb",
  "gb",
  "tb",
  "pb",
  "eb",
  "k",
  "m",
  "g",
  "t",
  "p",
  "e",
  "kib",
  "mib",
  "gib",
  "tib",
  "pib",
  "eib",
  "ki",
  "mi",
  "gi",
  "ti",
  "pi",
  "ei",
];

/** humanize.ParseBytes */
function bytesProblem(text: string): string | undefined {
  const [, number = "", unit = ""] = /^([\d.,]*)(.*)$/s.exec(text) ?? [];
  const plain = number.replaceAll(",", "");
  if (plain === "" || Number.isNaN(Number(plain))) return `strconv.ParseFloat: parsing ${quoted(plain)}: invalid syntax`;
  const extra = unit.trim().toLowerCase();
  return SIZES.includes(extra) ? undefined : `unhandled size name: ${extra}`;
}

function percentProblem(text: string): string | undefined {
  if (!text.endsWith("%")) return "percentage must end with '%'";
  const number = text.replace(/^-/, "").slice(0, -1);
  if (number === "" || Number.isNaN(Number(number)))
    return `invalid percentage value: strconv.ParseFloat: parsing ${quoted(number)}: invalid syntax`;
  return Number(number) < 0 || Number(number) > 100 ? `percentage must be between 0 and 100, got ${Number(number)}` : undefined;
}

/** Checks base64 as encoding/base64 does, which skips line breaks. */
export function base64Problem(text: string): string | undefined {
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char === "\n" || char === "\r") continue;
    if (/[A-Za-z0-9+/]/.test(char)) {
      digits++;
      continue;
    }
    if (char !== "=" || digits % 4 < 2) return `illegal base64 data at input byte ${index}`;
    const rest = text.slice(index).replaceAll(/[\r\n]/g, "");
    const padding = 4 - (digits % 4);
    if (rest === "=".repeat(padding)) return undefined;
    if (/^=+$/.test(rest) && rest.length < padding) return `illegal base64 data at input byte ${text.length}`;
    return `illegal base64 data at input byte ${index + Math.min(padding, rest.search(/[^=]|$/))}`;
  }
  return digits % 4 === 0 ? undefined : `illegal base64 data at input byte ${text.length - (digits % 4)}`;
}

function portsProblem(text: string): string | undefined {
  const port = (word: string) => /^\d+$/.test(word) && Number(word) <= 65_535;
  const [low = "", high] = text.split(/-(.*)/s);
  return high !== undefined && port(low) && port(high) ? undefined : `invalid port range: ${quoted(text)}`;
}
