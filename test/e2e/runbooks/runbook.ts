import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/child.ts";

/** An instruction of a runbook: a command (as root on a host, or here) or keys for the config. */
export type Remedy = { kind: "command"; text: string; root: string } | { kind: "config"; yaml: string };

export interface Runbook {
  /** Lines of the message it explains. */
  message: string[];
  /** Everything under "Find the cause" and "Fix", in order. */
  remedies: Remedy[];
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```/gm;

const SECTION = /^\*\*(?:Find the cause|Fix)[^*]*\*\*([\s\S]*?)(?=^\*\*|$(?![\s\S]))/gm;

/**
 * Parses a page of docs/runbooks up to its first subheading: the first text block is the message; a section ends at the next paragraph with a
 * title.
 */
export function readRunbook(code: string): Runbook {
  const page = readFileSync(join(ROOT, "docs/runbooks", `${code}.md`), "utf8");
  const [message = ""] = [...page.matchAll(FENCE)].flatMap(([, language, body]) => (language === "text" ? [body ?? ""] : []));
  const [first = ""] = page.split(/^## /m);
  const sections = [...first.matchAll(SECTION)].map(([, section = ""]) => section);
  return {
    message: message.trimEnd().split("\n"),
    remedies: sections.flatMap((section) => [...section.matchAll(FENCE)].flatMap((fence) => remediesIn(section, fence))),
  };
}

function remediesIn(section: string, { 1: language = "", 2: body = "", index }: RegExpExecArray): Remedy[] {
  if (language === "yaml") return [{ kind: "config", yaml: body }];
  if (language !== "" && language !== "sh") return [];
  const [, root = ""] = [...section.slice(0, index).matchAll(/as root on (\w+)/g)].at(-1) ?? [];
  return commandsIn(body).map((text) => ({ kind: "command", text, root }));
}

/** One command per line; lines after a variable assignment belong to the same shell command. */
function commandsIn(body: string): string[] {
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const first = lines.findIndex((line) => /^\w+=/.test(line));
  return first < 0 ? lines : [...lines.slice(0, first), lines.slice(first).join(" &&\n")];
}

/** Whether the line was printed: "…" stands for omitted text. */
export function isPrinted(line: string, output: string): boolean {
  const shape = line
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^\\s*${shape}$`, "m").test(output);
}
