import type { Json } from "@talosmith/lib/json.ts";
import * as z from "zod";

/** A problem of a value: the end of a sentence that begins with the key's name, a hint, and a remark for the code frame. */
export interface Wrong {
  says: string;
  hint: string;
  remark?: string;
  code?: string;
  /** Where to point: at the value (unless told) or at its key. */
  on?: "key";
}

interface About {
  /** One sentence for the person who edits the file. */
  about: string;
  example?: string;
  byDefault?: Json;
}

/** Facts about a value for messages, besides its type. */
export interface Leaf {
  example?: string;
  /** The hint for a value of another type. */
  typeHint?: string;
  /** The problem when the value is a plain number. */
  numberSays?: string;
  /** The allowed words, without the planned ones. */
  choices?: readonly string[];
}

export const leaves = z.registry<Leaf>();

/** Editors check patterns before references are filled in. */
const REFERENCE = "\\$\\{(env|file):";

function described<S extends z.ZodType>(schema: S, about: About, more: Record<string, Json> = {}): S {
  return schema.meta({
    description: about.about,
    ...(about.example !== undefined && { examples: [about.example] }),
    ...(about.byDefault !== undefined && { default: about.byDefault }),
    ...more,
  });
}

export function checked<S extends z.ZodType>(schema: S, check: (value: z.output<S>) => Wrong | undefined): S {
  return schema.check((context) => {
    // What is in it is wrong already; what it lacks may be that.
    if (context.issues.length > 0) return;
    const wrong = check(context.value);
    if (wrong === undefined) return;
    context.issues.push({ code: "custom", input: context.value, message: wrong.says, params: { ...wrong } });
  });
}

export function text(about: About & { example: string; pattern?: RegExp; check?: (value: string) => Wrong | undefined }) {
  const { pattern, check = () => undefined } = about;
  const more = pattern === undefined ? {} : { pattern: `${pattern.source}|${REFERENCE}` };
  return described(checked(z.string(), check), about, more).register(leaves, { example: about.example });
}

export function whole(about: About & { example: string; from: number; to: number }) {
  const { from, to } = about;
  const range = (value: number): Wrong | undefined =>
    value >= from && value <= to
      ? undefined
      : { says: `must be from ${from} to ${to}`, hint: `write a whole number such as ${about.example}` };
  return described(checked(z.int(), range), about, { minimum: from, maximum: to }).register(leaves, { example: about.example });
}

export function flag(about: About) {
  return described(z.boolean(), about).register(leaves, { example: "true" });
}

/** A choice of words. Planned words are refused as not available yet, each with a hint. */
export function choice<A extends string>(about: About & { of: readonly A[]; planned?: Record<string, string> }) {
  const { of, planned = {} } = about;
  const words = z.enum([...of, ...Object.keys(planned)] as [A, ...A[]]);
  const available = (value: string): Wrong | undefined =>
    planned[value] === undefined
      ? undefined
      : { code: "CONFIG_NOT_YET", says: `${value} is not available yet in this version`, hint: planned[value] };
  return described(checked(words, available), about).register(leaves, { example: about.example ?? of[0] ?? "", choices: of });
}

export function list<S extends z.ZodType>(
  item: S,
  about: About & { example: string; check?: (items: z.output<S>[]) => Wrong | undefined },
) {
  const { check = () => undefined } = about;
  const items = checked(z.array(item), check as (items: z.output<z.ZodArray<S>>) => Wrong | undefined);
  return described(items, { about: about.about, ...(about.byDefault !== undefined && { byDefault: about.byDefault }) }).register(
    leaves,
    {
      example: about.example,
      typeHint: `write a list: ${about.example}`,
    },
  );
}

/** A text or a list of texts. */
export function oneOrMore(item: z.ZodString, about: About & { example: string; check?: (items: string[]) => Wrong | undefined }) {
  const several = checked(z.array(item), about.check ?? (() => undefined));
  return described(z.union([item, several]), about).register(leaves, {
    example: about.example,
    typeHint: `write one value or a list of them, such as ${about.example}`,
  });
}

/** A map of names that the user chooses to texts; whole numbers, true and false count as text. */
export function textMap(
  about: About & { example: string; key: (name: string) => Wrong | undefined; value?: (text: string) => Wrong | undefined },
) {
  const one = z.union([z.string(), z.int(), z.boolean()]).register(leaves, {
    example: `"text"`,
    typeHint: "write text, in quotes unless it is a plain word",
  });
  return eachChecked(z.record(z.string(), one), (name, value) => about.key(name) ?? about.value?.(String(value)))
    .meta({ description: about.about, examples: [about.example], default: {} })
    .register(leaves, { example: about.example, typeHint: `write names and their values: ${about.example}` });
}

/** Checks each entry of a map together with its name. */
export function eachChecked<V extends z.ZodType>(
  map: z.ZodRecord<z.ZodString, V>,
  check: (name: string, value: z.output<V>) => Wrong | undefined,
) {
  return map.check((context) => {
    for (const [name, value] of Object.entries(context.value)) {
      const wrong = check(name, value as z.output<V>);
      if (wrong === undefined) continue;
      context.issues.push({ code: "custom", input: value, path: [name], message: wrong.says, params: { ...wrong } });
    }
  });
}

export function section<S extends z.core.$ZodLooseShape>(about: string, shape: S) {
  return z.strictObject(shape).meta({ description: about });
}

/** A planned key: its shape is checked, then it is refused with the hint `instead`. */
export function later(shape: z.ZodType, about: string, instead: string) {
  const refusal: Wrong = { code: "CONFIG_NOT_YET", says: "is not available yet in this version", hint: instead, on: "key" };
  return shape
    .pipe(checked(z.unknown(), () => refusal))
    .optional()
    .meta({ description: `${about} Not available yet.` });
}
