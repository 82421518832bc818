import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Hunk {
  before: string[];
  after: string[];
}

/** What a unified diff makes of the files below a folder, by their paths. Lines are found by their text, so a patch survives edits elsewhere in the file. */
export function patched(patch: string, folder: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const part of patch.split(/^(?=--- )/m).filter((one) => one.startsWith("--- "))) {
    const path = join(folder, /^\+\+\+ (?:b\/)?(\S+)/m.exec(part)?.[1] ?? "");
    let text = texts.get(path) ?? readFileSync(path, "utf8");
    for (const { before, after } of hunks(part)) {
      const old = before.join("\n");
      const at = text.indexOf(old);
      if (at === -1 || text.indexOf(old, at + 1) !== -1) throw new Error(`the patch no longer fits ${path}:\n${old}`);
      text = text.slice(0, at) + after.join("\n") + text.slice(at + old.length);
    }
    texts.set(path, text);
  }
  return texts;
}

export function applyPatch(patch: string, folder: string): void {
  for (const [path, text] of patched(patch, folder)) writeFileSync(path, text);
}

function hunks(part: string): Hunk[] {
  return part
    .split(/^@@.*$/m)
    .slice(1)
    .map((body) => {
      const lines = body.replace(/^\n/, "").replace(/\n$/, "").split("\n");
      const of = (marks: string) =>
        lines.filter((line) => line === "" || marks.includes(line[0] ?? "")).map((line) => line.slice(1));
      return { before: of(" -"), after: of(" +") };
    });
}
