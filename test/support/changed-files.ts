import type { Files } from "@talosmith/lib/world/world.ts";

/** Files of which some operations are replaced. */
export function changedFiles(files: Files, changes: Partial<Files>): Files {
  return new Proxy(files, {
    get: (own, name: keyof Files) => changes[name] ?? own[name].bind(own),
  });
}
