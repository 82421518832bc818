import { FileProblem, readAll } from "../streams.ts";
import { linesOf } from "./lines.ts";
import { complain, input, optionsOf, type Program, print } from "./program.ts";

export const grep: Program = async (started) => {
  const { given, rest } = optionsOf(started.args, ["e", "m"]);
  const [pattern = "", ...paths] = given.has("e") ? [given.get("e") ?? "", ...rest] : rest;
  const has = (letter: string) => given.has(letter);
  const source = has("F") ? pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : has("E") ? pattern : basic(pattern);
  const classes = source.replaceAll("[[:space:]]", "\\s").replaceAll("[[:digit:]]", "\\d");
  const shape = new RegExp(has("x") ? `^(?:${classes})$` : has("w") ? `\\b(?:${classes})\\b` : classes, has("i") ? "i" : "");
  let failed = false;
  let hits = 0;
  for (const path of paths.length > 0 ? paths : ["-"]) {
    let content: Buffer;
    try {
      const file = await input(started, path);
      content = await readAll(file);
      file.release();
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      failed = true;
      if (!has("s")) await complain(started, `grep: ${path}: ${error.message}`);
      continue;
    }
    const found = linesOf(content).filter((line) => shape.test(line) !== has("v"));
    hits += found.length;
    const before = has("H") || (paths.length > 1 && !has("h")) ? `${path}:` : "";
    if (has("q")) continue;
    if (has("c")) await print(started, `${before}${found.length}\n`);
    else if (has("l")) await print(started, found.length > 0 ? `${path}\n` : "");
    else for (const line of found) await print(started, `${before}${has("o") ? (shape.exec(line)?.[0] ?? "") : line}\n`);
  }
  if (failed && !(has("q") && hits > 0)) return 2;
  return hits > 0 ? 0 : 1;
};

/** In a basic expression some characters are special only with a backslash, in an extended one only without. */
function basic(pattern: string): string {
  return pattern.replace(
    /\\([+?(){}|])|([+?(){}|])/g,
    (_, special: string | undefined, plain: string | undefined) => special ?? `\\${plain}`,
  );
}
