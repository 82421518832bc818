import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/child.ts";

/** What a runbook says to do: a command (as root on a host, or here) or keys to put into the config. */
export type Remedy = { kind: "command"; text: string; root: string } | { kind: "config"; yaml: string };

export interface Runbook {
  /** Lines of the message it is about. */
  message: string[];
  /** Everything under "Find the cause" and "Fix", in order. */
  remedies: Remedy[];
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```/gm;

const SECTION = /^\*\*(?:Find the cause|Fix)[^*]*\*\*([\s\S]*?)(?=^\*\*|$(?![\s\S]))/gm;

/** A page of docs/runbooks as people follow it, up to its first subheading: the first text is the message; a section ends with the next paragraph that has a title. */
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

/** One a line; those after a line that sets a variable are typed into the same shell, or they would not know it. */
function commandsIn(body: string): string[] {
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const first = lines.findIndex((line) => /^\w+=/.test(line));
  return first < 0 ? lines : [...lines.slice(0, first), lines.slice(first).join(" &&\n")];
}

/** Whether the line was printed: "…" stands for what is left out. */
export function isPrinted(line: string, output: string): boolean {
  const shape = line
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^\\s*${shape}$`, "m").test(output);
}
