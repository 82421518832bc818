import type { Json } from "@talosmith/lib/json.ts";
import { readAsText } from "./go-text.ts";
import type { RawValue } from "./raw.ts";
import { kindOf, type Schema, type Shape, withoutPointer } from "./schema.ts";

/** A value that could not be decoded, in the order of go-yaml. */
export interface TypeProblem {
  line: number;
  text: string;
}

/** Decodes values into Go's types as go-yaml does. Its messages changed with its releases: 1.12 says "unmarshal". */
export class Decoder {
  readonly problems: TypeProblem[] = [];

  constructor(
    readonly schema: Schema,
    readonly minor: number,
  ) {}

  /** undefined for a value that stays at its zero value. */
  decode(value: RawValue, type: string): Json | undefined {
    const bare = withoutPointer(type);
    const shape = this.schema.shapes.get(bare);
    if (shape?.custom === "yaml") return this.#readsItself(value, bare);
    if (shape?.custom === "text" && (value.is === "scalar" || this.minor > 12)) return this.#text(value, type);
    if (value.is === "scalar" && value.tag === "!!null") return undefined;
    const kind = kindOf(this.schema, bare);
    if (kind.is === "any") return this.#anything(value);
    if (kind.is === "list" && value.is === "list") return this.#list(value, kind.of);
    if (kind.is === "map" && value.is === "map") return this.#map(value, () => kind.of);
    if (kind.is === "struct" && value.is === "map") return this.#struct(value, kind.shape);
    if (kind.is === "scalar" && value.is === "scalar") return this.#scalar(value, kind.type, bare);
    this.#cannot(value, bare);
    return undefined;
  }

  /** Drops nulls where Go's type has no null. */
  #list(value: RawValue & { is: "list" }, type: string): Json {
    const nullable = type.startsWith("*") || ["list", "map", "any"].includes(kindOf(this.schema, type).is);
    return value.items
      .filter((item) => nullable || item.is !== "scalar" || item.tag !== "!!null")
      .map((item) => this.decode(item, type) ?? null);
  }

  /** Reports "cannot construct !!str `yes` into bool". */
  #cannot(value: RawValue, type: string): void {
    const tag = value.is === "map" ? "!!map" : value.is === "list" ? "!!seq" : value.tag;
    const text = value.is !== "scalar" ? "" : ` \`${value.text.length > 10 ? `${value.text.slice(0, 7)}...` : value.text}\``;
    this.#problem(value, `cannot ${this.minor > 12 ? "construct" : "unmarshal"} ${tag}${text} into ${goName(type)}`);
  }

  #problem({ line }: { line: number }, text: string): void {
    this.problems.push({ line, text });
  }

  #struct(value: RawValue & { is: "map" }, shape: Shape): Json {
    if (shape.of !== undefined) return this.#map(value, () => shape.of as string);
    this.#duplicates(value);
    const fields: Record<string, Json> = {};
    for (const { key, value: inner } of value.entries) {
      const type = shape.keys.get(key);
      const read = type === undefined ? undefined : this.decode(inner, type);
      if (read !== undefined) fields[key] = read;
    }
    return fields;
  }

  #map(value: RawValue & { is: "map" }, typeOf: (key: string) => string): Json {
    this.#duplicates(value);
    const entries = value.entries.map(({ key, value: inner }) => {
      const type = typeOf(key);
      return [key, this.decode(inner, type) ?? (withoutPointer(type) === "string" && !type.startsWith("*") ? "" : null)] as const;
    });
    return Object.fromEntries(entries);
  }

  #duplicates(value: RawValue & { is: "map" }): void {
    value.entries.forEach(({ key, keyLine }, index) => {
      const first = value.entries.slice(0, index).find((other) => other.key === key);
      if (first) this.#problem({ line: keyLine }, `mapping key ${JSON.stringify(key)} already defined at line ${first.keyLine}`);
    });
  }

  #anything(value: RawValue): Json {
    if (value.is === "list") return value.items.map((item) => this.#anything(item));
    if (value.is === "map") return this.#map(value, () => "any");
    if (value.tag === "!!null") return null;
    if (value.tag === "!!bool") return value.text.toLowerCase() === "true";
    if (value.tag === "!!int" || value.tag === "!!float") {
      const number = numberIn(value.text);
      // JSON has no infinities and no NaN.
      return Number.isFinite(number) ? number : value.text;
    }
    return value.text;
  }

  #scalar(value: RawValue & { is: "scalar" }, type: string, name: string): Json | undefined {
    const { text, tag } = value;
    if (type === "string") return text;
    if (type === "bool") {
      if (tag === "!!bool") return text.toLowerCase() === "true";
      if (tag === "!!str" && YES.includes(text)) return true;
      if (tag === "!!str" && NO.includes(text)) return false;
    } else if (name === "time.Duration") {
      const ms = tag === "!!str" ? durationMs(text) : undefined;
      if (ms !== undefined || (text === "0" && tag === "!!int" && this.minor > 12)) return ms ?? 0;
    } else if (tag === "!!int" || tag === "!!float") {
      const number = numberIn(text);
      if (/^float/.test(type)) return number;
      // 1.12 drops the fraction.
      const whole = this.minor > 12 ? number : Math.trunc(number);
      if (Number.isInteger(whole) && fits(whole, type)) return whole;
    }
    this.#cannot(value, name);
    return undefined;
  }

  /** `type` includes its pointer, which 1.13 prints in this one case. */
  #text(value: RawValue, type: string): Json | undefined {
    if (value.is !== "scalar") {
      const tag = value.is === "map" ? "!!map" : "!!seq";
      const printed = this.minor > 13 ? withoutPointer(type) : type;
      this.#problem(value, `cannot construct ${tag} into ${printed} (TextUnmarshaler)`);
      return undefined;
    }
    if (value.tag === "!!null") return undefined;
    const problem = readAsText(withoutPointer(type), value.text, this.minor);
    if (problem === undefined) return value.text;
    this.#problem(value, problem);
    return undefined;
  }

  /** Decodes types with a custom UnmarshalYAML. */
  #readsItself(value: RawValue, type: string): Json | undefined {
    const [, name = ""] = type.split(".");
    if (name.startsWith("PEMEncoded")) return this.#pem(value, type);
    if (name === "ClusterInlineManifests") return this.decode(value, "[]v1alpha1.ClusterInlineManifest");
    if (name === "ArgValue") return this.#argument(value);
    if (value.is === "scalar" && value.tag === "!!null") return undefined;
    if (value.is !== "scalar") {
      this.#cannot(value, "string");
      return undefined;
    }
    // A quoted port is neither a number nor a range.
    if (name === "PortRange" && value.tag === "!!int" && fits(numberIn(value.text), "uint16")) return value.text;
    const problem = readAsText(type, value.text, this.minor);
    if (problem === undefined) return value.text;
    this.#problem(value, problem);
    return undefined;
  }

  #pem(value: RawValue, type: string): Json | undefined {
    if (value.is === "scalar" && value.tag === "!!null") return undefined;
    const keys = type.endsWith("AndKey") ? ["crt", "key"] : type.endsWith("Key") ? ["key"] : ["crt"];
    if (value.is !== "map") {
      const fields = keys.map((key) => `${key[0]?.toUpperCase()}${key.slice(1)} string "yaml:\\"${key}\\""`).join("; ");
      this.#cannot(value, `struct { ${fields} }`);
      return undefined;
    }
    const before = this.problems.length;
    const read = this.#struct(value, { keys: new Map(keys.map((key) => [key, "string"])) });
    if (this.problems.length > before) return undefined;
    for (const key of keys) {
      const text = (read as Record<string, string>)[key] ?? "";
      const problem = key === "key" && text === "******" ? undefined : readAsText("v1alpha1.Base64Bytes", text, this.minor);
      if (problem === undefined) continue;
      this.#problem(value, problem);
      return undefined;
    }
    return read;
  }

  #argument(value: RawValue): Json | undefined {
    if (value.is === "scalar") return value.tag === "!!null" ? "" : value.text;
    if (value.is === "list" && value.items.every((item) => item.is === "scalar")) {
      return value.items.map((item) => (item.is === "scalar" ? item.text : ""));
    }
    this.#problem(value, "arg value must be a string or list of strings");
    return undefined;
  }
}

const YES = ["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"];
const NO = ["n", "N", "no", "No", "NO", "off", "Off", "OFF"];

/** Prints a type as Go does. */
function goName(type: string): string {
  return type.replaceAll(/\bany\b/g, "interface {}");
}

function numberIn(text: string): number {
  const plain = text.replaceAll("_", "").replace(/^\+/, "");
  const [, sign = "", digits = ""] = /^(-?)(.*)$/.exec(plain) ?? [];
  const octal = /^0o?([0-7]+)$/.exec(digits)?.[1];
  const value = octal === undefined ? Number(digits) : Number.parseInt(octal, 8);
  return sign === "-" ? -value : value;
}

function fits(number: number, type: string): boolean {
  const [, unsigned, bits = "64"] = /^(u?)int(\d*)$/.exec(type) ?? [];
  if (unsigned === undefined) return false;
  const size = Number(bits === "" ? "64" : bits);
  return unsigned === "u" ? number >= 0 && number < 2 ** size : number >= -(2 ** (size - 1)) && number < 2 ** (size - 1);
}

const UNITS: Record<string, number> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses Go's "1m30s"; undefined when it is invalid. */
export function durationMs(text: string): number | undefined {
  const [, sign, rest = ""] = /^([-+]?)(.*)$/.exec(text) ?? [];
  if (rest === "0") return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/.test(rest)) return undefined;
  const parts = [...rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  const sum = parts.reduce((ms, [, number, unit]) => ms + Number(number) * (UNITS[unit as string] as number), 0);
  return sign === "-" ? -sum : sum;
}

/** Prints a duration as Go does: "-5s", "1m30s", "1.5s". */
export function goDuration(ms: number): string {
  const sign = ms < 0 ? "-" : "";
  const size = Math.abs(ms);
  if (size < 1) return size === 0 ? "0s" : `${sign}${size * 1000}µs`;
  if (size < 1000) return `${sign}${size}ms`;
  const [hours, minutes, seconds] = [
    Math.floor(size / 3_600_000),
    Math.floor((size % 3_600_000) / 60_000),
    (size % 60_000) / 1000,
  ];
  return `${sign}${hours > 0 ? `${hours}h` : ""}${size >= 60_000 ? `${minutes}m` : ""}${seconds}s`;
}
