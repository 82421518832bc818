import { find, type MapTree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem } from "../findings.ts";
import { keyHint, nearestWords } from "../nearest.ts";
import type { Platforms } from "../platform.ts";
import { type FlatPlatform, flatKeys, isElsewhere, keyOf } from "./flat-keys.ts";

const LISTS = ["controlplane_nodes", "worker_nodes"];
const ONE_OR_MORE = ["vm_nameservers", "admin_networks"];

/** A problem with the key it is about, when that is a known one. */
export interface Bad {
  key: string | undefined;
  problem: Problem;
}

function unknownKeys(platforms: Platforms, flat: MapTree): Bad[] {
  const known = Object.keys(flatKeys(platforms));
  return [...flat.entries]
    .filter(([key]) => !known.includes(key))
    .map(([key, { key: at }]) => {
      const hint = keyHint(key, known);
      return {
        key: nearestWords(key, known)[0],
        problem: { code: "CONFIG_UNKNOWN_KEY", at, message: `${key} is not a known key`, hint, remark: "unknown key" },
      };
    });
}

function elsewhere(platforms: Platforms, platform: FlatPlatform, flat: MapTree): Bad[] {
  return [...flat.entries].flatMap(([key, { key: at }]): Bad[] => {
    const known = keyOf(platforms, key);
    if (known?.only === undefined || !isElsewhere(known, platform)) return [];
    const message = `${key} is for platform ${known.only.name}, but platform is ${platform.name}`;
    const hint = platform.flat.instead?.[key] ?? "remove it";
    return [{ key: undefined, problem: { code: "CONFIG_CONFLICT", at, message, hint } }];
  });
}

function wrongKinds(platforms: Platforms, platform: FlatPlatform, flat: MapTree): Bad[] {
  return [...flat.entries].flatMap(([key, { key: at, value }]): Bad[] => {
    const known = keyOf(platforms, key);
    if (known === undefined || isElsewhere(known, platform)) return [];
    const example = `${key}: ${known.example}`;
    const wrong = (says: string, hint: string): Bad[] => [
      { key, problem: { code: "CONFIG_VALUE", at, message: `${key} ${says}`, hint } },
    ];
    if (value.kind === "scalar" && value.value === null)
      return wrong("is empty", `fill it in, or remove the key, such as ${example}`);
    if (LISTS.includes(key) && value.kind !== "list") return wrong("must be a list", `write a list: ${example}`);
    const single = !LISTS.includes(key) && !ONE_OR_MORE.includes(key);
    return single && value.kind !== "scalar" ? wrong("must be a single value", `write it like this: ${example}`) : [];
  });
}

/** Leaves out a missing key that is only misspelt, so that one mistake is reported once. */
function missingKeys(platforms: Platforms, platform: FlatPlatform, flat: MapTree): Bad[] {
  const keys = flatKeys(platforms);
  const unknown = [...flat.entries.keys()].filter((key) => !Object.hasOwn(keys, key));
  const meant = new Set(unknown.map((key) => nearestWords(key, Object.keys(keys))[0]));
  return Object.entries(keys)
    .filter(([key]) => platform.flat.required.includes(key) && !flat.entries.has(key) && !meant.has(key))
    .map(([key, { example }]) => ({
      key,
      problem: {
        code: "CONFIG_MISSING_KEY",
        at: flat.at,
        message: `${key} is missing`,
        hint: `add it:\n${key}: ${example}`,
        remark: `${key} is missing`,
      },
    }));
}

/** Finds problems of flat keys before they become sections: unknown, missing, or of the wrong type. */
export function flatProblems(platforms: Platforms, platform: FlatPlatform, flat: MapTree): Bad[] {
  return [
    ...unknownKeys(platforms, flat),
    ...elsewhere(platforms, platform, flat),
    ...wrongKinds(platforms, platform, flat),
    ...missingKeys(platforms, platform, flat),
  ];
}

/** A platform that has no words in this spelling; undefined when it has some, or is unknown. */
export function withoutSpelling({ available }: Platforms, flat: MapTree): Problem | undefined {
  const written = find(flat, ["platform"]);
  const platform = available.find(({ name }) => written?.kind === "scalar" && written.value === name);
  if (written === undefined || platform === undefined || platform.flat !== undefined) return undefined;
  const hint = `write it in sections, as environments/${platform.name}-example/config.yaml shows`;
  return { code: "CONFIG_CONFLICT", at: written.at, message: `platform ${platform.name} has no flat spelling`, hint };
}
