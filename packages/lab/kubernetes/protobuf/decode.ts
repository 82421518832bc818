import { microTime, timestamp } from "../identity.ts";
import type { Loose } from "../objects.ts";
import { CORE_FIELDS } from "./core-fields.ts";
import { OTHER_FIELDS } from "./other-fields.ts";
import { readFields, type WireField } from "./wire.ts";

const MAGIC = Buffer.from("k8s\0");

interface FieldType {
  name: string;
  /**
   * "" text, "i" number, "b" boolean, "y" bytes, else a message; "*" before it: a list, "^": its fields belong to the parent, "{}" around it: a
   * map.
   */
  type: string;
}

const MESSAGES = new Map(
  `${CORE_FIELDS}${OTHER_FIELDS}`
    .split("\n")
    .filter((line) => line !== "")
    .map((line): [string, Map<number, FieldType>] => {
      const [message = "", ...fields] = line.split(" ");
      const parsed = fields.map((field): [number, FieldType] => {
        const [name = "", number, type = ""] = field.split(":");
        return [Number(number), { name, type }];
      });
      return [message, new Map(parsed)];
    }),
);

/** The object in a protobuf body; undefined when its kind is not supported here. */
export function decodeObject(body: Buffer): Loose {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const [typeMeta, raw] = [1, 2].map(
    (number) => readFields(body.subarray(MAGIC.length)).find((field) => field.number === number)?.bytes,
  );
  const [apiVersion, kind] = [1, 2].map((number) =>
    readFields(typeMeta ?? Buffer.alloc(0))
      .find((field) => field.number === number)
      ?.bytes?.toString("utf8"),
  );
  // Most kinds are the same in all their versions.
  const message = [`${apiVersion}.${kind}`, kind ?? ""].find((one) => MESSAGES.has(one));
  return message === undefined ? undefined : { apiVersion, kind, ...decode(message, raw ?? Buffer.alloc(0)) };
}

function decode(message: string, bytes: Buffer): Loose {
  const known = MESSAGES.get(message);
  const result: Record<string, Loose> = {};
  for (const field of readFields(bytes)) {
    const its = known?.get(field.number);
    if (!its) continue;
    const { name, type } = its;
    if (type.startsWith("*")) result[name] = [...(result[name] ?? []), decodeValue(type.slice(1), field)];
    else if (type.startsWith("{")) result[name] = { ...result[name], ...entryOf(type.slice(1, -1), field) };
    else if (type.startsWith("^")) Object.assign(result, decodeValue(type.slice(1), field));
    else if (says(name, type, field)) result[name] = decodeValue(type, field);
  }
  return result;
}

/** Values that typed clients always send, and that are dropped when empty. */
const SAYS_NOTHING_EMPTY = new Set([
  "metadata",
  "resources",
  "status",
  "strategy",
  "updateStrategy",
  "creationTimestamp",
  "deleteOptions",
  "eventTime",
  "series",
]);
/** Fields in which zero or false is an explicit value; in other fields it means unset. */
const SAYS_ZERO =
  /^(replicas|backoffLimit|completions|parallelism|ttlSecondsAfterFinished|terminationGracePeriodSeconds|gracePeriodSeconds|revisionHistoryLimit|runAsUser|runAsGroup|fsGroup|defaultMode|priority|tolerationSeconds|automountServiceAccountToken|enableServiceLinks|allowPrivilegeEscalation|runAsNonRoot|readOnlyRootFilesystem|privileged|optional|controller|blockOwnerDeletion|immutable|suspend|allowVolumeExpansion|publishNotReadyAddresses|shareProcessNamespace)$/;

function says(name: string, type: string, field: WireField): boolean {
  if (type === "i" || type === "b") return field.value !== 0n || SAYS_ZERO.test(name);
  if (field.bytes?.length === 0) return type !== "" && !type.endsWith("Time") && !SAYS_NOTHING_EMPTY.has(name);
  return true;
}

function decodeValue(type: string, field: WireField): Loose {
  const bytes = field.bytes ?? Buffer.alloc(0);
  switch (type) {
    case "":
      return bytes.toString("utf8");
    case "i":
      return Number(BigInt.asIntN(64, field.value));
    case "b":
      return field.value !== 0n;
    case "y":
      return bytes.toString("base64");
    case "Time":
      return timestamp(secondsOf(bytes) * 1000);
    case "MicroTime":
      return microTime(secondsOf(bytes) * 1000);
    case "Quantity":
      return textIn(bytes, 1);
    case "Json":
      return JSON.parse(textIn(bytes, 1) || "{}");
    case "IntOrString": {
      const [kind, number] = [1, 2].map((wanted) => readFields(bytes).find((it) => it.number === wanted)?.value ?? 0n);
      return kind === 1n ? textIn(bytes, 3) : Number(BigInt.asIntN(64, number ?? 0n));
    }
    default:
      return decode(type, bytes);
  }
}

function secondsOf(bytes: Buffer): number {
  return Number(readFields(bytes).find((it) => it.number === 1)?.value ?? 0n);
}

function textIn(bytes: Buffer, number: number): string {
  return (
    readFields(bytes)
      .find((it) => it.number === number)
      ?.bytes?.toString("utf8") ?? ""
  );
}

function entryOf(type: string, { bytes = Buffer.alloc(0) }: WireField): Record<string, Loose> {
  const its = readFields(bytes).find((it) => it.number === 2) ?? { number: 2, value: 0n, bytes: Buffer.alloc(0) };
  return { [textIn(bytes, 1)]: decodeValue(type, its) };
}
