import type { Plugin } from "esbuild";

/** Leaves npm modules out of a bundle, as esbuild's `packages: "external"` does, but takes our own packages in: Node 20 does not run their TypeScript. */
export const npmModulesExternal: Plugin = {
  name: "npm-modules-external",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || path.startsWith("@talosmith/") ? undefined : { path, external: true },
    ),
};
