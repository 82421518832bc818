import type { Release } from "../release.ts";

/** What may be written for one key: of a method's parameters, or of a property string. */
export interface Property {
  readonly type: "string" | "integer" | "number" | "boolean";
  readonly optional?: true;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Anchored at both ends by whoever writes it. */
  readonly pattern?: RegExp;
  readonly enum?: readonly string[];
  readonly format?: Format;
  /** Several values in one text; JSON arrays and keys given twice are joined. */
  readonly list?: true;
  /** Several values, each checked as one: a key given several times or a JSON array. They come with NUL between them, see `itemsOf`. */
  readonly array?: true;
  /** Another key that must be there, too. */
  readonly requires?: string;
  /** In a property string: the key of a value written without one. */
  readonly defaultKey?: true;
  /** In a property string: this key is another spelling of that one. */
  readonly alias?: string;
  /** In a property string: the key itself is the value of that key, what follows it belongs to `alias` ("virtio=MAC"). */
  readonly keyAlias?: string;
}

export type Properties = Readonly<Record<string, Property>>;
/** Throws a FormatError. Of a value that is only read again, no release is given: it was checked when it was written. */
export type Format = (value: string, path: string, release?: Release) => void;
export type Errors = Record<string, string>;

/** The text after "invalid format - ". */
export class FormatError extends Error {}

/** Several errors on one key are joined by a literal backslash and n (docs/facts/proxmox.md#validation-messages). */
export function report(errors: Errors, key: string, problem: string): void {
  const before = errors[key];
  errors[key] = before === undefined ? problem : `${before}\\n${problem}`;
}

/** `key`: with its whole path. */
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

/** Type, then format, then pattern, length, range and enumeration; the first that fails ends the check of this key. */
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
