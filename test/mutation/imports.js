import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "./scope.js";

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*["']((?:\.|@talosmith\/)[^"']+)["']/g;

/** The files of ours that a source imports, by their paths in the tree. */
function importsOf(path) {
  const text = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : "";
  return [...text.matchAll(SPECIFIER)].map(([, name]) =>
    name.startsWith(".") ? posix.join(posix.dirname(path), name) : name.replace("@talosmith/", "packages/"),
  );
}

/** Returns a function that gives all files of ours that are loaded with a file, itself included. */
export function loader() {
  const known = new Map();
  const imports = (path) => {
    if (!known.has(path)) known.set(path, importsOf(path));
    return known.get(path);
  };
  return (path) => {
    const loaded = new Set([path]);
    // A set that grows while it is gone through is gone through to its new end.
    for (const file of loaded) for (const next of imports(file)) loaded.add(next);
    return loaded;
  };
}
