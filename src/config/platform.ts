import type { Path } from "@talosmith/lib/yaml/tree.ts";

/** Everything about a platform that is configuration. The config knows platforms only by what is written here. */
export interface ConfigPlatform {
  /** As in `platform: NAME`. */
  readonly name: string;
  /** Where its login's secrets may stand, in either spelling: the first is the one that `host prepare` can make. */
  readonly login?: readonly Path[];
}
