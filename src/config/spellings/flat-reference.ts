import { pathName } from "@talosmith/lib/yaml/tree.ts";
import type { Platforms } from "../platform.ts";
import { cells } from "../reference-words.ts";
import { flatKeys, flatPlatforms } from "./flat-keys.ts";

/** The chapter of the reference about the flat spelling. */
export function flatReference(platforms: Platforms): string {
  const all = flatPlatforms(platforms);
  const rows = Object.entries(flatKeys(platforms)).map(([key, { to, example, only }]) => {
    const needing = all.filter(({ flat }) => flat.required.includes(key));
    const needed = needing.length === all.length ? "*required*" : needing.map(({ name }) => `*required on ${name}*`).join();
    const where = only === undefined || needing.length > 0 ? needed : `only on ${only.name}`;
    return cells([`\`${key}\``, `such as \`${example}\``, where, `\`${pathName(to)}\``]);
  });
  return `## Flat keys

The keys of a \`config.yml\` in FluoData's format, and the key of \`config.yaml\` that each becomes; see also [the guide](../guides/03-other-config-formats.md).
Entries of the two lists of nodes may have every setting of a node; \`memory\` may also be a number of MB and \`disk\` one of GB.

| key | value | | becomes |
|---|---|---|---|
${rows.join("\n")}
`;
}
