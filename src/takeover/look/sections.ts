import { remoteError, type TalosmithError } from "@talosmith/lib/errors.ts";
import { parseJson } from "@talosmith/lib/json.ts";

/** The output of a command: its lines by section. */
export type Sections = ReadonlyMap<string, readonly string[]>;

const MARK = "@@ ";

/** Undefined when the output is incomplete or has no sections. Text that a login prints before it is skipped. */
export function sectionsOf(stdout: string): Sections | undefined {
  const sections = new Map<string, string[]>();
  let lines: string[] | undefined;
  for (const line of stdout.split(/\r?\n/)) {
    if (line.startsWith(MARK)) {
      lines = [];
      sections.set(line.slice(MARK.length).trim(), lines);
    } else if (line.trim() !== "") lines?.push(line);
  }
  return sections.has("end") ? sections : undefined;
}

/** The first line of a section, without what surrounds it. */
export function first(sections: Sections, name: string): string | undefined {
  return sections.get(name)?.[0]?.trim();
}

export function linesOf(sections: Sections, name: string): readonly string[] {
  return sections.get(name) ?? [];
}

/** Parses the output of `grep -H .`: a file and a line of it. Neither /sys/block nor /sys/class/net has names with colons in these places. */
export function filesOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (line.startsWith("/") && colon > 0)
      files.set(
        line.slice(0, colon),
        line
          .slice(colon + 1)
          .replaceAll("\0", "")
          .trim(),
      );
  }
  return files;
}

/** JSON that a program of the server printed; undefined when it printed something else. */
export function jsonOf(lines: readonly string[]): unknown {
  const text = lines.join("\n").trim();
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export function unreadable(what: string, detail: string): TalosmithError {
  return remoteError("SURVEY_UNREADABLE", {
    message: `Unable to survey ${what}: its output cannot be read`,
    detail: `${detail}. Nothing was written.`,
    hint: "log in by hand and check that sh, cat, grep, ls and dd work there; a Linux rescue system is needed",
  });
}
