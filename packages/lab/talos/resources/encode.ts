import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import type { Json } from "@talosmith/lib/json.ts";
import ipaddr from "ipaddr.js";
import { type Field, fieldsFor, type Layout, type WireType } from "./layout.ts";

export type Spec = { readonly [key: string]: Json | undefined };

/** Encodes a spec as protobuf, without empty fields. */
export function encodeSpec(of: Layout, spec: Spec, minor: number): Buffer {
  return Buffer.concat(fieldsFor(of, minor).map((field) => encodeField(field, spec[field.name], minor)));
}

function encodeField({ number, kind, list }: Field, value: Json | undefined, minor: number): Buffer {
  if (value === undefined || value === null) return NOTHING;
  if (list) return Buffer.concat((value as readonly Json[]).map((item) => encodeValue(number, kind, item, minor, true)));
  return encodeValue(number, kind, value, minor, false);
}

function encodeValue(number: number, kind: WireType, value: Json, minor: number, inList: boolean): Buffer {
  if (typeof kind === "object") {
    if ("message" in kind) return lengthDelimited(number, encodeSpec(kind.message, value as Spec, minor));
    if ("names" in kind) return varintField(number, kind.names[String(value)] ?? 0);
    const set = String(value).split(",");
    return varintField(
      number,
      set.reduce((sum, word) => sum + (kind.bits[word] ?? 0), 0),
    );
  }
  const text = String(value);
  switch (kind) {
    case "bool":
      return varintField(number, value === true ? 1 : 0);
    case "number":
      return varintField(number, Number(value));
    case "map":
      return entries(number, value as Spec, (one) => lengthDelimited(2, Buffer.from(String(one))));
    case "args":
      return entries(number, value as Spec, (one) =>
        lengthDelimited(2, Buffer.concat((one as string[]).map((word) => lengthDelimited(1, Buffer.from(word))))),
      );
    case "struct":
      return lengthDelimited(number, Buffer.from(toBinary(StructSchema, fromJson(StructSchema, value as JsonObject))));
    case "pair":
    case "certificate":
    case "key":
      return lengthDelimited(number, pem(kind, value as { crt?: string; key?: string }));
    default:
      return text === "" && !inList ? NOTHING : lengthDelimited(number, textual(kind, text));
  }
}

function textual(kind: "text" | "ip" | "prefix" | "addressPort" | "mac" | "url", text: string): Buffer {
  if (kind === "text") return Buffer.from(text);
  if (kind === "url") return lengthDelimited(1, Buffer.from(text));
  if (kind === "mac") return Buffer.from(text.replaceAll(":", ""), "hex");
  if (kind === "addressPort") {
    const [, address = "", port] = /^\[?(.*?)\]?:(\d+)$/.exec(text) ?? [];
    return Buffer.concat([textual("ip", address), varintField(2, Number(port))]);
  }
  const [address = "", length] = text.split("/");
  const ip = lengthDelimited(1, Buffer.from(ipaddr.parse(address).toByteArray()));
  return kind === "ip" ? ip : Buffer.concat([ip, varintField(2, Number(length))]);
}

function pem(kind: "pair" | "certificate" | "key", { crt = "", key = "" }: { crt?: string; key?: string }): Buffer {
  const bytes = (number: number, text: string) => (text === "" ? NOTHING : lengthDelimited(number, Buffer.from(text)));
  if (kind === "key") return bytes(1, key);
  return kind === "certificate" ? bytes(1, crt) : Buffer.concat([bytes(1, crt), bytes(2, key)]);
}

function entries(number: number, map: Spec, encoded: (value: Json) => Buffer): Buffer {
  const all = Object.entries(map).map(([key, value]) =>
    lengthDelimited(number, Buffer.concat([lengthDelimited(1, Buffer.from(key)), encoded(value as Json)])),
  );
  return Buffer.concat(all);
}

const NOTHING = Buffer.alloc(0);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

function varintField(number: number, value: number): Buffer {
  return value === 0 ? NOTHING : Buffer.concat([varint(number << 3), varint(value)]);
}

export function lengthDelimited(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}
