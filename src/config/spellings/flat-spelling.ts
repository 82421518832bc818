import type { Entry, MapTree, Path, ScalarTree, Tree } from "@talosmith/lib/yaml/tree.ts";
import type { Problem } from "../findings.ts";

/** One key of the flat spelling. */
export interface FlatKey {
  /** Where its value goes. Keys that become a value only together with others have the place of that value. */
  readonly to: Path;
  readonly example: string;
  /** It becomes a value only with others. */
  readonly together?: true;
  /** The name of the value at `to`, when several keys lead there. */
  readonly names?: true;
}

/** A platform's own words in the flat spelling. */
export interface FlatSpelling {
  readonly keys: Readonly<Record<string, FlatKey>>;
  /** Those of its keys, and of the keys of all, that must be there. */
  readonly required: readonly string[];
  /** Values that are written otherwise here, by key. */
  readonly changed?: Readonly<Record<string, (scalar: ScalarTree) => Tree>>;
  /** More names of ours that its keys stand for: { "network.via": "…_ssh_host" }. */
  readonly names?: Readonly<Record<string, string>>;
  /** Hints for other platforms' keys, when removing them is not all there is to do. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Values that are made of several keys, or meant without being said. */
  made(flat: MapTree): MadeOfFlat;
}

export interface MadeOfFlat {
  readonly entries: readonly (readonly [Path, Entry])[];
  readonly problems?: readonly Problem[];
  readonly warned?: readonly Problem[];
  /** Places whose absence is reported already. */
  readonly silent?: readonly Path[];
}

/** A word that a key means without saying it; nothing without the key. */
export function impliedBy(flat: MapTree, from: string, path: Path, value: string): (readonly [Path, Entry])[] {
  const entry = flat.entries.get(from);
  return entry === undefined ? [] : [[path, { key: entry.key, value: { kind: "scalar", at: entry.key, value } }]];
}
