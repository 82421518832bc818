import { Document, isCollection, isScalar } from "yaml";
import type { RawValue } from "./raw.ts";

/** The unknown parts of a document with their enclosing maps and lists. */
export type Unknown = RawValue | { is: "map"; entries: { key: string; value: Unknown }[] } | { is: "list"; items: Unknown[] };

const STEP = 4;

/** Prints YAML as go-yaml does: indented by four, counted from the line's beginning and not from a dash. */
export function printUnknown(value: Unknown): string {
  return `${lines(value, 0).join("\n")}\n`;
}

function lines(value: Unknown, indent: number): string[] {
  const pad = " ".repeat(indent);
  if (value.is === "map")
    return value.entries.flatMap(({ key, value: inner }) => entry(`${pad}${printedKey(key)}:`, inner, indent));
  if (value.is !== "list") return [];
  return value.items.flatMap((item) => {
    const [head, ...more] = inlined(item) ?? [];
    if (head !== undefined) return [`${pad}- ${head}`.trimEnd(), ...more.map((line) => `${pad}  ${line}`)];
    const [first = "", ...rest] = lines(item, indent + 2);
    return [`${pad}- ${first.trimStart()}`, ...rest];
  });
}

function entry(head: string, value: Unknown, indent: number): string[] {
  const [first, ...more] = inlined(value) ?? [];
  if (first !== undefined) return [`${head} ${first}`.trimEnd(), ...more.map((line) => `${" ".repeat(nextStep(indent))}${line}`)];
  return [head, ...lines(value, nextStep(indent))];
}

function nextStep(indent: number): number {
  return STEP * Math.floor((indent + STEP) / STEP);
}

/** The value printed on the line of its key: scalars, flow collections, and empty ones. */
function inlined(value: Unknown): string[] | undefined {
  const node = "node" in value ? value.node : undefined;
  const empty = (value.is === "map" && value.entries.length === 0) || (value.is === "list" && value.items.length === 0);
  const flow = isCollection(node) && node.flow === true;
  if (value.is !== "scalar" && !empty && !flow) return undefined;
  if (value.is === "scalar" && (!isScalar(node) || (node.value === "" && node.type === "PLAIN"))) return [""];
  const text = new Document(node, { schema: "failsafe" }).toString({ lineWidth: 0, flowCollectionPadding: false });
  return text.replace(/\n$/, "").split("\n");
}

/** Quotes a key that would otherwise have another type. */
function printedKey(key: string): string {
  return new Document(key).toString({ lineWidth: 0 }).replace(/\n$/, "");
}
