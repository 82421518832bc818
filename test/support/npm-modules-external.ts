import type { Plugin } from "esbuild";

/**
 * Excludes npm modules from a bundle, as esbuild's `packages: "external"` does, but includes our own packages: Node 20 does not run their
 * TypeScript.
 */
export const npmModulesExternal: Plugin = {
  name: "npm-modules-external",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || path.startsWith("@talosmith/") ? undefined : { path, external: true },
    ),
};
