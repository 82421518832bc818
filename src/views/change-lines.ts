import { basename } from "node:path";
import { type Deletion, diskName, sizeWords } from "../engine/deletion.ts";
import type { PlannedChange } from "../engine/result.ts";
import type { Field, StepId, Verb } from "../engine/step.ts";
import { inlineCells } from "./change-cells.ts";
import { type Line, line, lineWidth, type Span, toned } from "./line.ts";
import { padEnd, padStart, textWidth } from "./text-width.ts";
import { knownWords } from "./value-words.ts";

const MARKS: Record<Verb, Span> = {
  create: toned("good", "+"),
  update: toned("warn", "~"),
  restart: toned("warn", "~"),
  delete: toned("bad", "-"),
  replace: toned("bad", "±"),
  run: toned("accent", ">"),
};

/** Text behind a subject: in a column of its own, or as the next word. */
interface Part extends Span {
  gap: typeof COLUMN | typeof WORD;
}

const COLUMN = "   ";
const WORD = " ";
const NAMED_BEFORE = 3;

type TitleOf = (step: StepId) => string;

export interface Printing {
  /** The width in columns; without it no line is broken. */
  room?: number | undefined;
  /** Created things have a line for each of their fields, too. */
  verbose?: boolean | undefined;
}

/** Prints the changes of one stage in order, with names and values of similar ones in columns. */
export function changeLines(changes: readonly PlannedChange[], titleOf: TitleOf, { room, verbose }: Printing = {}): Line[] {
  const cells = inlineCells(changes, titleOf);
  const tails = changes.map((change, index) => tail(change, cells[index] ?? []));
  const width = Math.max(0, ...changes.filter((_, index) => inColumns(tails[index])).map(({ subject }) => textWidth(subject)));
  return changes.flatMap((change, index) => {
    const parts = tails[index] ?? [];
    const head = line(MARKS[change.verb], ` ${inColumns(parts) ? padEnd(change.subject, width) : change.subject}`);
    const words = (field: Field) => (cells[index] === undefined ? fieldWords(field, titleOf) : madeWords(field, titleOf));
    const fields = cells[index] === undefined || verbose ? fieldLines(change.fields, words) : [];
    return [...flowed(head, parts, room), ...fields, ...deletionLines(change.deletes ?? [], room)];
  });
}

function inColumns(parts: readonly Part[] = []): boolean {
  return parts[0]?.gap === COLUMN;
}

function tail(change: PlannedChange, cells: readonly string[]): Part[] {
  const parts: Part[] = [];
  if (change.verb === "restart" || change.verb === "replace") parts.push({ gap: COLUMN, ...toned("warn", change.verb) });
  parts.push(...cells.map((text) => ({ gap: COLUMN, text }) as const));
  // Omitted beside values: stages are printed in this order anyway.
  if (cells.length === 0 && change.after.length > 0) parts.push({ gap: WORD, ...toned("faint", afterWords(change.after)) });
  if (change.needsConsent !== undefined)
    parts.push({ gap: COLUMN, ...toned("warn", `needs --allow-remove ${change.needsConsent}`) });
  if (change.typed !== undefined)
    parts.push({ gap: COLUMN, ...toned("warn", `needs ${change.typed.name} to be typed: ${change.typed.why}`) });
  return parts;
}

function afterWords(titles: readonly string[]): string {
  const more = titles.length - NAMED_BEFORE;
  return `(after ${titles.slice(0, NAMED_BEFORE).join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
}

/** Continues on an indented line below where the terminal ends. */
function flowed(head: Line, parts: readonly Part[], room = Number.POSITIVE_INFINITY): Line[] {
  const lines: Line[] = [];
  let current = head;
  for (const { gap, ...part } of parts) {
    const longer = [...current, ...line(gap, part)];
    const wordless = part.text.trim() === "";
    if (wordless || lineWidth(longer) <= room || lineWidth(current) <= "    ".length) current = longer;
    else {
      lines.push(current);
      current = line("    ", { ...part, text: part.text.trim() });
    }
  }
  return [...lines, current];
}

function fieldLines(fields: readonly Field[], wordsOf: (field: Field) => string): Line[] {
  const width = Math.max(0, ...fields.map(({ path }) => textWidth(path)));
  const words = fields.map(wordsOf);
  const widest = Math.max(0, ...words.map((text, at) => (fields[at]?.where === undefined ? 0 : textWidth(text))));
  return fields.map(({ path, where }, at) => {
    const place = where === undefined ? [] : [COLUMN, toned("faint", `${basename(where.file)}:${where.line}`)];
    const text = words[at] ?? "";
    return line(`    ${padEnd(path, width)}${COLUMN}`, where === undefined ? text : padEnd(text, widest), ...place);
  });
}

/** The one value of a field of something that is created or removed. */
function madeWords(field: Field, titleOf: TitleOf): string {
  return field.secret ? "(secret)" : knownWords(field.from ?? field.to, titleOf);
}

function fieldWords(field: Field, titleOf: TitleOf): string {
  if (field.secret) return "differs";
  // A command that will be run has no old value.
  if (field.path === "runs") return knownWords(field.to, titleOf);
  const side = (value: Field["from"]) => (value === null ? "(not set)" : knownWords(value, titleOf));
  return `${side(field.from)} → ${side(field.to)}`;
}

/** Lists each volume to be deleted, with the flag that a foreign one needs. */
function deletionLines(deletions: readonly Deletion[], room: number | undefined): Line[] {
  const widest = (text: (one: Deletion) => string) => Math.max(0, ...deletions.map((one) => textWidth(text(one))));
  const [slots, volumes, sizes] = [widest(({ slot }) => slot), widest(({ volume }) => volume), widest(sizeWords)];
  return deletions.flatMap((one) =>
    flowed(
      line("    deletes ", padEnd(one.slot, slots)),
      [
        { gap: COLUMN, text: padEnd(one.volume, volumes) },
        { gap: COLUMN, text: padStart(sizeWords(one), sizes) },
        ...(one.foreign
          ? [{ gap: COLUMN, ...toned("warn", `not made by talosmith: needs --destroy-disk ${diskName(one)}`) } as const]
          : []),
      ],
      room,
    ),
  );
}
