// Every message of packages/wire/protos, judged by Talos's own descriptors and codec, in both directions: `messages.mjs ORACLE VERSION FILE…`.
import {
  create,
  createRegistry,
  type DescEnum,
  type DescField,
  type DescMessage,
  type FileRegistry,
  fromBinary,
  type JsonValue,
  type Message,
  ScalarType,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { AddressEventSchema } from "@talosmith/wire/gen/machine/machine_pb.js";
// @ts-expect-error: plain JavaScript, which says nothing about its types.
import { execute } from "../execute.js";
import { FILES, isIn, messagesOf, theirName } from "./protos.ts";

const registry = createRegistry(...FILES);

const [oracle = "", version = "", ...generated] = process.argv.slice(2);
const minor = Number(/^v1\.(\d+)/.exec(version)?.[1]);
const messages = messagesOf(minor);
const enums: DescEnum[] = [...FILES.flatMap((file) => file.enums), ...messages.flatMap((message) => message.nestedEnums)];
/** Values that came with a minor. */
const SINCE: Record<string, number> = { NS_TALOSCONTAINERS: 14 };
const valuesOf = (of: DescEnum) => of.values.filter(({ name }) => minor >= (SINCE[name] ?? 0));
const services = FILES.flatMap((file) => file.services).filter((service) => isIn(minor, service));

function described(field: DescField) {
  const scalar = (type: ScalarType) => ScalarType[type].toLowerCase();
  const about = { number: field.number, name: field.name, presence: field.presence === 1 };
  if (field.fieldKind === "map") {
    if (field.mapKind !== "scalar") throw new Error(`${field.parent.typeName}.${field.name}: a map of this kind is new here`);
    return { ...about, kind: "map", cardinality: "map", of: `${scalar(field.mapKey)} ${scalar(field.scalar)}` };
  }
  const cardinality = field.fieldKind === "list" ? "list" : "one";
  if (field.message) return { ...about, kind: "message", cardinality, of: field.message.typeName };
  if (field.enum) return { ...about, kind: "enum", cardinality, of: field.enum.typeName };
  return { ...about, kind: scalar(field.scalar as ScalarType), cardinality, of: "" };
}

let last = 0;

function scalarOf(field: { scalar?: ScalarType | undefined; parent: DescMessage; name: string }, type = field.scalar) {
  const n = ++last;
  switch (type) {
    case ScalarType.BOOL:
      return true;
    case ScalarType.STRING:
      return `${field.name} ${n}`;
    case ScalarType.BYTES:
      return new Uint8Array([0, 255, n % 256]);
    case ScalarType.DOUBLE:
      return n + 0.5;
    case ScalarType.INT32:
      return n;
    case ScalarType.UINT32:
      return 2 ** 31 + n;
    case ScalarType.INT64:
      return field.parent.typeName.startsWith("google.protobuf.") ? BigInt(n) : -(2n ** 60n + BigInt(n));
    case ScalarType.UINT64:
      return 2n ** 63n + BigInt(n);
    default:
      throw new Error(`no value for ${field.parent.typeName}.${field.name}`);
  }
}

/** A message with every field set, each to another value. */
function full(of: DescMessage): Message {
  if (of.typeName === "google.protobuf.Any") {
    const packed = anyPack(AddressEventSchema, create(AddressEventSchema, { hostname: "any", addresses: [String(++last)] }));
    packed.typeUrl = packed.typeUrl.replace("type.googleapis.com", "talos/runtime");
    return packed;
  }
  const message = create(of);
  const target = reflect(of, message);
  for (const field of of.fields) {
    const last = (list: DescEnum) => valuesOf(list).at(-1)?.number ?? 0;
    if (field.fieldKind === "map") {
      target.get(field).set(scalarOf(field, field.mapKey) as string, scalarOf(field) as string);
    } else if (field.fieldKind === "list") {
      for (let n = 0; n < 2; n++) {
        if (field.listKind === "message") target.get(field).add(reflect(field.message, full(field.message)));
        else target.get(field).add(field.listKind === "enum" ? last(field.enum) : scalarOf(field));
      }
    } else if (field.fieldKind === "message") target.set(field, reflect(field.message, full(field.message)));
    else target.set(field, field.fieldKind === "enum" ? last(field.enum) : scalarOf(field));
  }
  return message;
}

const asJson = (of: DescMessage, message: Message) =>
  toJson(of, message, { useProtoFieldName: true, registry: registry as FileRegistry });

const told = {
  messages: messages.map((of) => {
    const message = full(of);
    const bytes = Buffer.from(toBinary(of, message)).toString("base64");
    return { name: theirName(of), fields: of.fields.map(described), full: { bytes, json: asJson(of, message) } };
  }),
  enums: enums.map((of) => ({
    name: of.typeName,
    values: Object.fromEntries(valuesOf(of).map((value) => [value.name, value.number])),
  })),
  methods: services.flatMap((service) =>
    service.methods.map((method) => ({
      name: `${service.typeName}.${method.name}`,
      input: method.input.typeName,
      output: method.output.typeName,
      serverStreaming: method.methodKind === "server_streaming",
    })),
  ),
};

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] as JsonValue)]),
  );
}

const left = generated.filter((name) => !FILES.some((file) => file.name === name));
if (left.length > 0) throw new Error(`protos.ts does not know ${left.join(", ")}`);
const answer = JSON.parse(await execute(oracle, ["messages"], { input: JSON.stringify(told) }));
const problems: string[] = answer.problems;
for (const { name, bytes, json } of answer.samples as { name: string; bytes: string; json: JsonValue }[]) {
  const of = messages.find((one) => theirName(one) === name) as DescMessage;
  const byNumber = fromBinary(of, Buffer.from(bytes, "base64"));
  const byName = JSON.stringify(sorted(json));
  if ((byNumber.$unknown ?? []).length > 0) problems.push(`${name}: there is more in Talos's message than we know`);
  const read = JSON.stringify(sorted(asJson(of, byNumber)));
  if (read !== byName) problems.push(`${name}: by numbers ${read}, by names ${byName}`);
}
if (answer.samples.length !== messages.length) problems.push(`${answer.samples.length} of ${messages.length} messages came back`);
if (problems.length > 0) throw new Error(problems.join("\n"));
console.log(
  `${messages.length} messages, ${enums.length} enums, ${told.methods.length} methods (${answer.leftOut.length} fields of Talos's left out)`,
);
