import { parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { CEL_PLACES } from "../cel/places.ts";
import type { Plain } from "./field.ts";
import type { ExpressionWord, PemWord, Word } from "./notation.ts";

type Value = string | number | boolean;

/** Talos's parser of a plain value; "text" is anything that is neither a list nor an object. */
interface Reader {
  /** The text after "must be". */
  readonly is: string;
  readonly example: string;
  reads(value: Value): boolean;
  /** Whether Talos treats the value as absent. */
  isZero?(value: Value): boolean;
  /** Talos sets it even from a patch without it. */
  readonly alwaysSet?: true;
}

const DURATION = /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)([0-9.]+(ns|us|µs|μs|ms|s|m|h))*$/;
const BYTES = /^[\d,]*\.?[\d,]*\s*([kmgtpe]i?b?|b|)$/i;
const BASE64 = /^([A-Za-z0-9+/\r\n]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?[\r\n]*$/;

const text = (value: Value) => String(value);
const isBytes = (value: Value) => BYTES.test(text(value)) && /\d/.test(text(value));
/** Go also takes a zone, and an IPv4 address inside an IPv6 one. */
const address = (value: string) => parseIp(value.replace(/%.+$/, "")) !== undefined || /^[0-9a-f:]*:[\d.]{7,15}$/i.test(value);

const WORDS: Readonly<Record<Exclude<Word, ExpressionWord | PemWord>, Reader>> = {
  text: { is: "text", example: "some text", reads: () => true, isZero: (value) => value === "" },
  bool: { is: "true or false", example: "true", reads: isSwitch },
  duration: {
    is: "a duration",
    example: "1m30s",
    reads: (value) => value === 0 || (typeof value === "string" && (value === "0" || DURATION.test(value))),
    isZero: (value) => !/[1-9]/.test(text(value)),
  },
  address: {
    is: "an IP address",
    example: "10.0.0.1",
    reads: (value) => value === "" || address(text(value)),
    isZero: (value) => value === "",
  },
  prefix: {
    is: "an address with its prefix length",
    example: "10.0.0.0/24",
    reads: (value) => value === "" || parseNetwork(text(value)) !== undefined,
    isZero: (value) => value === "",
  },
  "address:port": {
    is: "an address and a port",
    example: "10.0.0.1:51820",
    reads: (value) => value === "" || isAddressPort(text(value)),
    isZero: (value) => value === "",
  },
  mac: {
    is: "hexadecimal, with colons or without",
    example: "aa:bb:cc:00:11:22",
    reads: (value) => /^([0-9a-f]{2})*$/i.test(text(value).replaceAll(":", "")),
  },
  url: { is: "a URL", example: "https://example.org", reads: isUrl, isZero: (value) => value === "" },
  ports: { is: "a port or a range of ports", example: "8000-9000", reads: isPorts },
  bytes: { is: "a size", example: "100GiB", reads: (value) => value === "" || isBytes(unsigned(value)), alwaysSet: true },
  size: {
    is: "a size or a share of the disk",
    example: "100GiB",
    reads: (value) => value === "" || isBytes(unsigned(value)) || isShare(unsigned(value)),
    isZero: (value) => value === "",
  },
  "disk size": { is: "a size", example: "100GB", reads: isBytes, isZero: (value) => !/[1-9]/.test(text(value)) },
  "size condition": {
    is: "a size with a comparison before it",
    example: ">= 100GB",
    reads: (value) => isBytes(text(value).replace(/^\s*(>=|<=|>|<|==)?\s*/, "")),
  },
  base64: { is: "base64", example: "dGV4dA==", reads: (value) => BASE64.test(text(value)) },
  table: {
    is: "a routing table: a number up to 252, main, local or default",
    example: "main",
    reads: (value) =>
      /^(unspec|default|main|local)$/i.test(text(value)) || (/^[1-9]\d*$/.test(text(value)) && Number(value) <= 252),
    isZero: (value) => /^unspec$/i.test(text(value)),
  },
  // Talos also accepts the words' numbers here, and an empty text for none.
  "fail over": {
    is: "none, active or follow",
    example: "active",
    reads: (value) => /^(none|active|follow|[0-2]?)$/.test(text(value)),
  },
  argument: { is: "text or a list of texts", example: "some text", reads: () => true },
  free: { is: "anything", example: "text", reads: () => true, isZero: (value) => value === "" || value === 0 },
  int: number(-(2 ** 63), 2 ** 63),
  int32: number(-(2 ** 31), 2 ** 31 - 1),
  uint: number(0, 2 ** 64),
  uint8: number(0, 2 ** 8 - 1),
  uint16: number(0, 2 ** 16 - 1),
  uint32: number(0, 2 ** 32 - 1),
  uint64: number(0, 2 ** 64),
};

/** The keys of objects with their own parser in Talos, all in base64. */
const PEM_KEYS: Readonly<Record<PemWord, readonly string[]>> = {
  certificate: ["crt"],
  "certificate+key": ["crt", "key"],
  key: ["key"],
};

function number(from: number, to: number): Reader {
  const end = to > 2 ** 60 ? "" : ` from ${from} to ${to}`;
  const positive = from === 0 && end === "" ? ", not below zero" : "";
  return {
    is: `a whole number${end}${positive}`,
    example: to < 1500 ? "1" : "1500",
    reads: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
    isZero: (value) => value === 0,
  };
}

const expressions = Object.entries(CEL_PLACES).map(([place, { example }]): [ExpressionWord, Reader] => [
  `${place as keyof typeof CEL_PLACES} expression`,
  { is: "a CEL expression", example, reads: () => true, alwaysSet: true },
]);

const readers = new Map<string, Reader>([...Object.entries(WORDS), ...expressions]);
const pems = new Map<string, readonly string[]>(Object.entries(PEM_KEYS));

function readerOf({ word }: Plain): Reader | undefined {
  return readers.get(word);
}

/** The expected type and an example; undefined when Talos can read the value. */
export function unreadable(field: Plain, value: Value): { readonly is: string; readonly example: string } | undefined {
  if (field.words !== undefined) {
    const words = field.words.filter((word) => word !== "");
    const said = text(value).toLowerCase();
    if (words.some((word) => word.toLowerCase() === said)) return undefined;
    return {
      is: words.length === 1 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`,
      example: words[1] ?? words[0] ?? "",
    };
  }
  const word = readerOf(field);
  return word === undefined || word.reads(value) ? undefined : word;
}

/** Whether a patch that has this value leaves the config's as it is. */
export function saysNothing(field: Plain, value: Value): boolean {
  if (field.pointer) return false;
  const [zero] = field.words ?? [];
  if (zero !== undefined) return zero !== "" && text(value).toLowerCase() === zero.toLowerCase();
  return readerOf(field)?.isZero?.(value) ?? false;
}

/** Whether Talos sets the field even from a patch without it: it cannot distinguish an absent value and overwrites the config's. */
export function isAlwaysSet(field: Plain): boolean {
  return readerOf(field)?.alwaysSet === true || (field.word === "bool" && !field.pointer);
}

/** The keys of a certificate or key, which Talos reads by itself. */
export function pemKeys(field: Plain): readonly string[] | undefined {
  return pems.get(field.word);
}

/** Talos's reader of YAML takes the words of YAML 1.1 for switches, too. */
function isSwitch(value: Value): boolean {
  return typeof value === "boolean" || /^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/.test(text(value));
}

/** Whether Go parses the value as a URL: the text before the first colon is the scheme, unless a slash comes first. */
function isUrl(value: Value): boolean {
  if (/%(?![0-9a-f]{2})/i.test(text(value))) return false;
  return /^[a-z][a-z0-9+.-]*:/i.test(text(value)) || !/^[^/?#]*:/.test(text(value));
}

function isPorts(value: Value): boolean {
  const [, low, high] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text(value)) ?? [];
  if (low === undefined || Number(low) > 65_535) return false;
  if (high === undefined) return typeof value === "number";
  return Number(high) <= 65_535;
}

function isAddressPort(value: string): boolean {
  const [, host, port] = /^(.*):(\d{1,5})$/.exec(value) ?? [];
  if (host === undefined || Number(port) > 65_535) return false;
  const inBrackets = /^\[(.*)\]$/.exec(host)?.[1];
  return inBrackets === undefined ? /^[\d.]+$/.test(host) && address(host) : inBrackets.includes(":") && address(inBrackets);
}

function isShare(value: Value): boolean {
  const [, share] = /^(\d+(?:\.\d*)?|\.\d+)%$/.exec(text(value)) ?? [];
  return share !== undefined && Number(share) <= 100;
}

function unsigned(value: Value): string {
  return text(value).replace(/^-/, "");
}

export function isPlainValue(value: Json | undefined): value is Value {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
