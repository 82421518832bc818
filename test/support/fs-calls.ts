import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

type Replacements = { [Name in keyof typeof fs]?: (original: (typeof fs)[Name]) => unknown };

/** Replaces calls of node:fs in this process, each by a function made from the original; returns the function that puts the originals back. */
export function replaceFsCalls(replacements: Replacements): () => void {
  const names = Object.keys(replacements) as (keyof typeof fs)[];
  const originals = Object.fromEntries(names.map((name) => [name, fs[name]]));
  for (const name of names) Object.assign(fs, { [name]: replacements[name]?.(fs[name] as never) });
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  };
}
