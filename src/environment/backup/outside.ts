import { relative, resolve } from "node:path";
import { asTalosmithError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Files, World } from "@talosmith/lib/world/world.ts";
import type { Environment } from "../environment.ts";

export interface Referred {
  /** The cluster's name; absent when the config is invalid. */
  name?: string;
  /** The reason why it is invalid; then not all references may be known. */
  problem?: string;
  /** Files outside the folder that the config includes: absolute paths. */
  outside: string[];
}

/** Opens an environment with the platforms of this program. */
type Open = (world: World, folder: string, redactor: Redactor, options: { readonly withoutLogin: boolean }) => Environment;

/** Loads the config and records the files that it reads. An invalid config is backed up too. */
export function referredFiles(open: Open, world: World, folder: string, redactor: Redactor): Referred {
  const read = new Set<string>();
  const files = new Proxy(world.files, {
    get(own, name: keyof Files) {
      if (name !== "read") return own[name].bind(own);
      return (path: string) => {
        const content = own.read(path);
        if (content !== undefined) read.add(resolve(path));
        return content;
      };
    },
  });
  const outside = () => [...read].filter((path) => isOutside(resolve(folder), path)).sort();
  try {
    const { config } = open({ ...world, files }, folder, redactor, { withoutLogin: true });
    return { name: config.cluster.name, outside: outside() };
  } catch (thrown) {
    const problem = asTalosmithError(thrown);
    if (problem.kind === "internal") throw thrown;
    return { problem: problem.message, outside: outside() };
  }
}

export function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === ".." || way.startsWith("../");
}
