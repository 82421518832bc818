import { createHash } from "node:crypto";

/** What the image factory builds into an image. */
export interface Schematic {
  extensions: readonly string[];
  kernelArgs: readonly string[];
}

/** The factory's canonical YAML; its SHA-256 is the schematic's id. Extensions are sorted, since the factory counts their order. */
export function schematicYaml({ extensions, kernelArgs }: Schematic): string {
  const list = (items: readonly string[], indent: string) => items.map((item) => `${indent}- ${item}\n`).join("");
  const args = kernelArgs.length === 0 ? "" : `    extraKernelArgs:\n${list(kernelArgs, "        ")}`;
  const sorted = [...new Set(extensions)].sort();
  const system = sorted.length === 0 ? "" : `    systemExtensions:\n        officialExtensions:\n${list(sorted, "            ")}`;
  return args + system === "" ? "customization: {}\n" : `customization:\n${args}${system}`;
}

export function schematicId(schematic: Schematic): string {
  return createHash("sha256").update(schematicYaml(schematic)).digest("hex");
}
