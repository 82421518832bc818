import type { Release } from "../release.ts";

/** The type of one key: a method's parameter, or a key in a property string. */
export interface Property {
  readonly type: "string" | "integer" | "number" | "boolean";
  readonly optional?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The pattern must contain its own anchors. */
  readonly pattern?: RegExp;
  readonly enum?: readonly string[];
  readonly format?: Format;
  /** Several values in one text; JSON arrays and repeated keys are joined. */
  readonly list?: true;
  /** Several values, each checked separately: a repeated key or a JSON array. They are separated by NUL, see `itemsOf`. */
  readonly array?: true;
  /** Another key that must also be present. */
  readonly requires?: string;
  /** In a property string: the key of a value without a key. */
  readonly defaultKey?: true;
  /** In a property string: an alias of that key. */
  readonly alias?: string;
  /** In a property string: the key itself is the value of that key, and its value belongs to `alias` ("virtio=MAC"). */
  readonly keyAlias?: string;
}

export type Properties = Readonly<Record<string, Property>>;
/** Throws a FormatError. Stored values are read without a release: they were checked when they were written. */
export type Format = (value: string, path: string, release?: Release) => void;
export type Errors = Record<string, string>;

/** The text after "invalid format - ". */
export class FormatError extends Error {}

/** Several errors on one key are joined by a literal backslash and n (docs/facts/proxmox.md#validation-messages). */
export function report(errors: Errors, key: string, problem: string): void {
  const before = errors[key];
  errors[key] = before === undefined ? problem : `${before}\\n${problem}`;
}

/** `key`: with its full path. */
export function requiredBy(key: string, release?: Release): string {
  if (release?.namesWhatRequires === false) return `missing property - '${key}' requires this property`;
  return `missing property required by '${key}'`;
}

const TYPES: Record<Property["type"], RegExp> = {
  string: /^[\s\S]*$/,
  integer: /^[+-]?\d+$/,
  number: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/,
  boolean: /^[01]$/,
};

/** Checks type, then format, pattern, length, range and enumeration; the first failure ends the check of this key. */
export function checkValue(property: Property, value: string, path: string, errors: Errors, release?: Release): void {
  const problem = problemWith(property, value, path, release);
  if (problem !== undefined) report(errors, path, problem);
}

function problemWith(property: Property, value: string, path: string, release?: Release): string | undefined {
  if (!TYPES[property.type].test(value)) return `type check ('${property.type}') failed - got '${value}'`;
  if (property.format) {
    try {
      property.format(value, path, release);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return `invalid format - ${error.message}\n`;
    }
  }
  if (property.pattern && !property.pattern.test(value)) return "value does not match the regex pattern";
  if (property.maxLength !== undefined && value.length > property.maxLength)
    return `value may only be ${property.maxLength} characters long`;
  if (property.minLength !== undefined && value.length < property.minLength)
    return `value must be at least ${property.minLength} characters long`;
  if (property.type === "integer" || property.type === "number") {
    if (property.maximum !== undefined && Number(value) > property.maximum)
      return `value must have a maximum value of ${property.maximum}`;
    if (property.minimum !== undefined && Number(value) < property.minimum)
      return `value must have a minimum value of ${property.minimum}`;
  }
  if (property.enum && !property.enum.includes(value))
    return `value '${value}' does not have a value in the enumeration '${property.enum.join(", ")}'`;
  return undefined;
}
