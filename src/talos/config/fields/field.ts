import { KINDS, MINORS, type Minor } from "./kinds.ts";
import { type Keys, Noted, type Shape } from "./notation.ts";

/** The field of a machine config, for one Talos minor. */
export type Field = Plain | List | FreeNames | Section;

interface Common {
  /** Talos can tell an absent value from an empty one. */
  readonly pointer: boolean;
  readonly replaced: boolean;
}

export interface Plain extends Common {
  readonly is: "plain";
  /** "text", "uint16", "duration", … */
  readonly word: string;
  /** The words to choose from; the first one, if not empty, is Talos's default. */
  readonly words?: readonly string[];
}

export interface List extends Common {
  readonly is: "list";
  readonly of: Field;
  readonly mergedBy: readonly string[];
  readonly replacedBy?: string;
}

export interface FreeNames extends Common {
  readonly is: "map";
  readonly of: Field;
}

export interface Section extends Common {
  readonly is: "object";
  readonly keys: ReadonlyMap<string, Field>;
}

const read = new Map<string, Section | undefined>();

/** The keys of a kind as this minor knows them; undefined when it does not know the kind. */
export function fieldsOf(kind: string, minor: Minor): Section | undefined {
  const name = `${minor} ${kind}`;
  if (!read.has(name)) read.set(name, readKind(kind, minor));
  return read.get(name);
}

export function kindsOf(minor: Minor): string[] {
  return Object.keys(KINDS).filter((kind) => fieldsOf(kind, minor) !== undefined);
}

/** The first minor that knows the key at this path of a kind; an empty path is the kind itself. */
export function knownSince(kind: string, path: readonly string[]): Minor | undefined {
  return MINORS.find((minor) => {
    let field: Field | undefined = fieldsOf(kind, minor);
    for (const key of path) field = field && inside(field, key);
    return field !== undefined;
  });
}

/** The field below a key; elements of a list add nothing to a path. */
export function inside(field: Field, key: string): Field | undefined {
  if (field.is === "list") return inside(field.of, key);
  if (field.is === "map") return field.of;
  if (field.is === "object") return field.keys.get(key);
  return field.word === "free" ? field : undefined;
}

function readKind(kind: string, minor: Minor): Section | undefined {
  const shape = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  const field = shape && readShape(shape, minor);
  if (field?.is !== "object" || KINDS[kind] === undefined) return undefined;
  if (kind === "v1alpha1") return field;
  const own: readonly (readonly [string, Field])[] = ["apiVersion", "kind"].map((key) => [key, TEXT]);
  return { ...field, keys: new Map([...own, ...field.keys]) };
}

const TEXT: Plain = { is: "plain", word: "text", pointer: false, replaced: false };

function readShape(shape: Shape, minor: Minor): Field | undefined {
  if (shape instanceof Noted) return readNoted(shape, minor);
  const common = { pointer: false, replaced: false };
  if (typeof shape === "string")
    return { is: "plain", word: shape, ...(shape.includes("|") && { words: shape.replace(/\|$/, "").split("|") }), ...common };
  if (isListShape(shape)) {
    const of = readShape(shape[0], minor);
    return of && { is: "list", of, mergedBy: [], ...common };
  }
  const named = shape["*"];
  if (named !== undefined) {
    const of = readShape(named, minor);
    return of && { is: "map", of, ...common };
  }
  return { is: "object", keys: new Map(readKeys(shape, minor)), ...common };
}

function* readKeys(keys: Keys, minor: Minor): Generator<[string, Field]> {
  for (const [key, shape] of Object.entries(keys)) {
    const field = readShape(shape, minor);
    if (field === undefined) continue;
    yield key.endsWith("?") ? [key.slice(0, -1), { ...field, pointer: true }] : [key, field];
  }
}

function readNoted({ shape, notes }: Noted, minor: Minor): Field | undefined {
  if (notes.since !== undefined && order(minor) < order(notes.since))
    return notes.before === undefined ? undefined : readShape(notes.before, minor);
  const field = readShape(shape, minor);
  if (field === undefined) return undefined;
  const { mergedBy, replacedBy } = notes;
  if (field.is === "list" && mergedBy !== undefined) return { ...field, mergedBy };
  if (field.is === "list" && replacedBy !== undefined) return { ...field, replacedBy };
  return notes.replaced ? { ...field, replaced: true } : field;
}

function order(minor: string): number {
  return Number(minor.slice(2));
}

function isListShape(shape: readonly [Shape] | Keys): shape is readonly [Shape] {
  return Array.isArray(shape);
}
