import { PRESETS } from "../catalog/addons/presets.ts";
import { addons } from "./schema/addons.ts";
import type { Draft } from "./shape.ts";

export type PresetKey = keyof typeof PRESETS;

type Written<K extends PresetKey> = NonNullable<Draft["addons"]>[K];

/** What a file tells a preset: nothing of it is boolean any more. */
export type Told<K extends PresetKey> = Exclude<NonNullable<Written<K>>, boolean>;

/** What the file says of a preset, `true` being nothing in particular; undefined when it is not to be there. */
export function told<K extends PresetKey>({ addons, cluster }: Draft, key: K): Told<K> | undefined {
  const written: unknown = addons?.[key];
  if (typeof written === "object") return written as Told<K>;
  const asked = written === true || (key === "cilium" && written === undefined && cluster?.cni === "cilium");
  return asked ? ({} as Told<K>) : undefined;
}

/** "metrics-server": what an addon is called outside of the config, where capitals are not taken. */
export function addonName(key: PresetKey): string {
  return key.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

/** In the order of the config reference. */
export const PRESET_KEYS = Object.keys(addons.shape).filter((key) => Object.hasOwn(PRESETS, key)) as PresetKey[];
