import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import ipaddr from "ipaddr.js";
import type { Json } from "../../../lib/json.ts";

/** How a spec is written: field number, name in YAML, kind. The YAML is the object itself; protobuf follows from it. */
export type Layout = readonly (readonly [number: number, name: string, kind: Kind])[];

export type Kind =
  | "string"
  | "strings"
  | "bool"
  | "uint"
  /** 4 or 16 bytes in a message. */
  | "ip"
  | "ips"
  | "prefix"
  | "prefixes"
  | "mac"
  | "map"
  /** Its text in YAML, its number on the wire. */
  | { numbers: Readonly<Record<string, number>> }
  | { message: Layout }
  | { messages: Layout };

type Spec = { readonly [key: string]: Json | undefined };

export function encodeSpec(layout: Layout, spec: Spec): Buffer {
  return Buffer.concat(layout.map(([number, name, kind]) => field(number, kind, spec[name])));
}

/** google.protobuf.Struct in a message, at this field. */
export function encodeStruct(number: number, value: Json): Buffer {
  return lengthDelimited(number, Buffer.from(toBinary(StructSchema, fromJson(StructSchema, value as JsonObject))));
}

export function encodeBytes(number: number, bytes: Uint8Array): Buffer {
  return lengthDelimited(number, Buffer.from(bytes));
}

function field(number: number, kind: Kind, value: Json | undefined): Buffer {
  if (value === undefined || value === null) return NOTHING;
  if (typeof kind === "object") {
    if ("numbers" in kind) return varintField(number, kind.numbers[String(value)] ?? 0);
    if ("message" in kind) return lengthDelimited(number, encodeSpec(kind.message, value as Spec));
    return Buffer.concat(
      (value as readonly Json[]).map((item) => lengthDelimited(number, encodeSpec(kind.messages, item as Spec))),
    );
  }
  const several = { strings: "string", ips: "ip", prefixes: "prefix" } as const;
  if (kind in several) {
    const one = several[kind as keyof typeof several];
    return Buffer.concat((value as readonly Json[]).map((item) => repeatedField(number, one, item)));
  }
  switch (kind) {
    case "string":
      return value === "" ? NOTHING : lengthDelimited(number, Buffer.from(String(value)));
    case "bool":
      return varintField(number, value === true ? 1 : 0);
    case "uint":
      return varintField(number, Number(value));
    case "mac":
      return lengthDelimited(number, Buffer.from(String(value).replaceAll(":", ""), "hex"));
    case "map":
      return Buffer.concat(Object.entries(value as Record<string, string>).map(([key, text]) => mapEntry(number, key, text)));
    default:
      return repeatedField(number, kind as "ip" | "prefix", value);
  }
}

const NOTHING = Buffer.alloc(0);

function repeatedField(number: number, kind: "string" | "ip" | "prefix", value: Json): Buffer {
  const text = String(value);
  if (kind === "string") return lengthDelimited(number, Buffer.from(text));
  const [address = "", bits] = text.split("/");
  const ip = lengthDelimited(1, Buffer.from(ipaddr.parse(address).toByteArray()));
  return lengthDelimited(number, kind === "ip" ? ip : Buffer.concat([ip, varintField(2, Number(bits))]));
}

function mapEntry(number: number, key: string, value: string): Buffer {
  return lengthDelimited(number, Buffer.concat([lengthDelimited(1, Buffer.from(key)), lengthDelimited(2, Buffer.from(value))]));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

function varintField(number: number, value: number): Buffer {
  return value === 0 ? NOTHING : Buffer.concat([varint(number << 3), varint(value)]);
}

function lengthDelimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}
