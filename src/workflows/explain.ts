import { userError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";
import { type Explanation, explain, similarKeys } from "../config/explain.ts";
import { KeyTable } from "../config/key-table.ts";
import { anyOf } from "../config/nearest.ts";
import { keyOf } from "../config/spellings/flat-keys.ts";
import type { Session } from "../engine/context.ts";
import type { FactsResult } from "../engine/result.ts";
import { PLATFORM_CONFIGS } from "../platforms/configs.ts";

/** `talosmith explain`: a key of config.yaml, or without one the keys at the top. */
export async function explainKey({ bus }: Session, text: string | undefined): Promise<number> {
  const table = new KeyTable(PLATFORM_CONFIGS);
  const path = text === undefined ? [] : (table.find(text) ?? keyOf(PLATFORM_CONFIGS, text)?.to ?? onlyKeyCalled(table, text));
  bus.emit({ type: "result", result: resultOf(explain(table, path), PLATFORM_CONFIGS.available.length) });
  return 0;
}

/** A key by its last word, if no other key has it: "memory". */
function onlyKeyCalled(table: KeyTable, text: string): Path {
  const similar = similarKeys(table, text);
  const [only = ""] = similar;
  const path = similar.length === 1 && only.endsWith(`.${text}`) ? table.find(only) : undefined;
  if (path !== undefined) return path;
  throw userError("UNKNOWN_KEY", {
    message: `config.yaml has no key ${text}`,
    hint:
      similar.length > 0
        ? `did you mean ${anyOf(similar)}?`
        : `${ownCommand("explain")} lists the keys at the top; join the words of a longer name with dots: nodes.memory`,
  });
}

function resultOf(found: Explanation, platformCount: number): FactsResult {
  const facts = Object.entries(found).map(([key, value]) => ({ key, label: key, value: value as Json }));
  const { keys } = found;
  const part = { kind: "facts", name: "explain", next: [], wrapped: true } as const;
  const own: FactsResult = { ...part, title: found.key, facts: factsOf(found, platformCount), next: [] };
  const below = keys.map(({ key, meaning }) => ({ key, label: ownPart(key, found.key), value: meaning }));
  const list: FactsResult = {
    ...part,
    title: found.key === "" ? "Keys of config.yaml" : `keys of ${found.key}`,
    facts: below,
    next: [],
  };
  const first = keys.find(({ key }) => key === "nodes") ?? keys[0];
  const next = first === undefined ? [] : [ownCommand("explain", typed(first.key))];
  return {
    kind: "facts",
    name: "explain",
    title: found.key,
    facts,
    next,
    display: [...(found.key === "" ? [] : [own]), ...(keys.length === 0 ? [] : [{ ...list, next }])],
  };
}

/** The name without what stands above it already: "memory" of nodes[].memory. */
function ownPart(key: string, parent: string): string {
  return key.startsWith(parent) ? key.slice(parent.length).replace(/^(\[\])?\./, "") : key;
}

/** Without brackets, which some shells take for patterns. */
const typed = (key: string) => key.replaceAll("[]", "");

function factsOf(found: Explanation, platformCount: number): FactsResult["facts"] {
  const { meaning, type, required, default: usual, example, platforms, reference, instead, also } = found;
  const rows: [string, Json | undefined][] = [
    ["meaning", meaning],
    ["value", type],
    ["default", required ? "none: the key is required" : usual],
    ["platforms", platforms.length === platformCount ? "all" : platforms],
    ["until then", instead],
    ["also in", also.length === 0 ? undefined : also],
    ["example", example === "" ? undefined : example],
    ["reference", reference],
  ];
  return rows.flatMap(([label, value]) => {
    const shown = label === "default" && typeof value === "boolean" ? String(value) : value;
    return shown === undefined ? [] : [{ key: label, label, value: shown }];
  });
}
