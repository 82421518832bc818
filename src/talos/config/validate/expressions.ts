import { celProblem } from "../cel/check.ts";
import { CEL_PLACES } from "../cel/places.ts";
import type { ConfigDocument } from "../document.ts";
import { type Field, fieldsOf } from "../fields/field.ts";
import { MINORS } from "../fields/kinds.ts";
import { type Facts, type Found, found, textAt } from "./facts.ts";

type Place = keyof typeof CEL_PLACES;

const NEWEST = MINORS[MINORS.length - 1] ?? "1.14";
const known = new Map<string, readonly (readonly [path: string, place: Place])[]>();

/** The paths of a kind that hold expressions, and what each may refer to. */
function expressionsOf(kind: string): readonly (readonly [path: string, place: Place])[] {
  const found = known.get(kind) ?? [...expressionsIn(fieldsOf(kind, NEWEST), [])];
  known.set(kind, found);
  return found;
}

function* expressionsIn(field: Field | undefined, path: readonly string[]): Generator<readonly [string, Place]> {
  if (field?.is === "object") for (const [key, inner] of field.keys) yield* expressionsIn(inner, [...path, key]);
  const [, place] = field?.is === "plain" ? (/^(\w+) expression$/.exec(field.word) ?? []) : [];
  if (place !== undefined) yield [path.join("."), place as Place];
}

/** Expressions that Talos cannot parse, or with the wrong type. */
export function* expressions(facts: Facts): Generator<Found> {
  for (const document of [...facts.byKind.values()].flat())
    for (const [path, place] of expressionsOf(String(document.kind ?? ""))) {
      const text = textAt(document, path);
      const problem = text === "" || isIgnored(document) ? undefined : celProblem(text, CEL_PLACES[place]);
      if (problem !== undefined)
        yield found(
          document,
          path,
          `${path} is not a valid expression: ${problem}`,
          `write it like ${CEL_PLACES[place].example}`,
        );
    }
}

/** A volume that is no partition and no disk has no disk to choose, and is refused for other reasons. */
function isIgnored(document: ConfigDocument): boolean {
  return !["", "partition", "disk"].includes(textAt(document, "volumeType"));
}
