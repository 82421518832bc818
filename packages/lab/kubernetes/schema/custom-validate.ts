import { isDeepStrictEqual } from "node:util";
import { type Cause, invalidValue, required } from "../api/status.ts";
import type { Loose } from "../objects.ts";
import { isRecord } from "../patch/merge.ts";

/** Violations of a CRD's schema, with the messages of kube-openapi's validation. CEL rules are not evaluated. */
export function customProblems(value: Loose, openApi: Loose, at = ""): Cause[] {
  if (!isRecord(openApi)) return [];
  if (value === null && openApi.nullable) return [];
  const wrong = typeProblem(value, openApi, at);
  if (wrong) return [wrong];
  return [
    ...combinationProblems(value, openApi, at),
    ...enumProblems(value, openApi, at),
    ...(typeof value === "string" ? textProblems(value, openApi, at) : []),
    ...(typeof value === "number" ? numberProblems(value, openApi, at) : []),
    ...(Array.isArray(value) ? listProblems(value, openApi, at) : []),
    ...(isRecord(value) ? objectProblems(value, openApi, at) : []),
  ];
}

function jsonType(value: Loose): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function typeProblem(value: Loose, openApi: Loose, at: string): Cause | undefined {
  const wanted: string[] = openApi["x-kubernetes-int-or-string"]
    ? ["integer", "string"]
    : openApi.type === undefined
      ? []
      : [openApi.type];
  const is = jsonType(value);
  if (wanted.length === 0 || wanted.includes(is) || (is === "integer" && wanted.includes("number"))) return undefined;
  const why = `${at} in body must be of type ${wanted.join(",")}: ${JSON.stringify(is)}`;
  return { ...invalidValue(at, is, why), reason: "FieldValueTypeInvalid" };
}

function enumProblems(value: Loose, openApi: Loose, at: string): Cause[] {
  const allowed: Loose[] | undefined = openApi.enum;
  if (!allowed || allowed.some((one) => isDeepStrictEqual(one, value))) return [];
  const list = allowed.map((one) => JSON.stringify(typeof one === "string" ? one : JSON.stringify(one))).join(", ");
  return [
    {
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`,
      field: at,
    },
  ];
}

function textProblems(value: string, openApi: Loose, at: string): Cause[] {
  const { minLength, maxLength, pattern } = openApi;
  const length = [...value].length;
  return [
    ...(maxLength !== undefined && length > maxLength
      ? [{ reason: "FieldValueTooLong", message: `Too long: may not be more than ${maxLength} bytes`, field: at }]
      : []),
    ...(minLength !== undefined && length < minLength
      ? [invalidValue(at, value, `${at} in body should be at least ${minLength} chars long`)]
      : []),
    ...(pattern !== undefined && !matches(pattern, value)
      ? [invalidValue(at, value, `${at} in body should match '${pattern}'`)]
      : []),
  ];
}

/** Most Go patterns are valid here; an invalid one is assumed to match. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern.replace(/^\(\?([imsU]+)\)/, ""), "u").test(value);
  } catch {
    return true;
  }
}

function numberProblems(value: number, openApi: Loose, at: string): Cause[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = openApi;
  const broken = (holds: boolean, why: string) => (holds ? [] : [invalidValue(at, value, `${at} in body should be ${why}`)]);
  return [
    ...(multipleOf === undefined ? [] : broken(value % multipleOf === 0, `a multiple of ${multipleOf}`)),
    ...(maximum === undefined
      ? []
      : exclusiveMaximum
        ? broken(value < maximum, `less than ${maximum}`)
        : broken(value <= maximum, `less than or equal to ${maximum}`)),
    ...(minimum === undefined
      ? []
      : exclusiveMinimum
        ? broken(value > minimum, `greater than ${minimum}`)
        : broken(value >= minimum, `greater than or equal to ${minimum}`)),
  ];
}

function listProblems(value: Loose[], openApi: Loose, at: string): Cause[] {
  const { minItems, maxItems } = openApi;
  return [
    ...(minItems !== undefined && value.length < minItems
      ? [invalidValue(at, value.length, `${at} in body should have at least ${minItems} items`)]
      : []),
    ...(maxItems !== undefined && value.length > maxItems
      ? [tooMany(at, value.length, maxItems)]
      : value.flatMap((item, index) => customProblems(item, openApi.items, `${at}[${index}]`))),
    ...duplicates(value, openApi, at),
  ];
}

function tooMany(at: string, count: number, most: number): Cause {
  return { reason: "FieldValueTooMany", message: `Too many: ${count}: must have at most ${most} items`, field: at };
}

function duplicates(value: Loose[], openApi: Loose, at: string): Cause[] {
  const type = openApi["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return [];
  const keys: string[] = openApi["x-kubernetes-list-map-keys"] ?? [];
  const keyOf = (item: Loose) =>
    type === "set" ? item : Object.fromEntries(keys.filter((key) => item?.[key] !== undefined).map((key) => [key, item[key]]));
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const key = JSON.stringify(keyOf(item));
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [{ reason: "FieldValueDuplicate", message: `Duplicate value: ${key}`, field: `${at}[${index}]` }];
  });
}

function objectProblems(value: Record<string, Loose>, openApi: Loose, at: string): Cause[] {
  const place = (name: string) => (at === "" ? name : `${at}.${name}`);
  const { properties = {}, additionalProperties, minProperties, maxProperties } = openApi;
  const count = Object.keys(value).length;
  return [
    ...(openApi.required ?? []).filter((name: string) => value[name] === undefined).map((name: string) => required(place(name))),
    ...Object.entries(value).flatMap(([name, member]) => {
      const its = properties[name] ?? (isRecord(additionalProperties) ? additionalProperties : undefined);
      return member === undefined ? [] : customProblems(member, its, place(name));
    }),
    ...(minProperties !== undefined && count < minProperties
      ? [invalidValue(at, count, `${at} in body should have at least ${minProperties} properties`)]
      : []),
    ...(maxProperties !== undefined && count > maxProperties ? [tooMany(at, count, maxProperties)] : []),
  ];
}

/** Violations of anyOf, oneOf and not, for which the server names no field. */
function combinationProblems(value: Loose, openApi: Loose, at: string): Cause[] {
  const fits = (one: Loose) => customProblems(value, one, at).length === 0;
  const problem = (why: string) => [invalidValue("<nil>", "", `${JSON.stringify(at)} must ${why}`)];
  const one = (openApi.oneOf ?? []).filter(fits).length;
  return [
    ...(openApi.allOf ?? []).flatMap((part: Loose) => customProblems(value, part, at)),
    ...(openApi.anyOf && !openApi.anyOf.some(fits) ? problem("validate at least one schema (anyOf)") : []),
    ...(openApi.oneOf && one !== 1
      ? problem(`validate one and only one schema (oneOf). Found ${one === 0 ? "none valid" : `${one} valid alternatives`}`)
      : []),
    ...(openApi.not && fits(openApi.not) ? problem("not validate the schema (not)") : []),
  ];
}
