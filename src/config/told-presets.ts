import { PRESETS } from "../catalog/addons/presets.ts";
import type { ConfigPlatform, PlatformAddon } from "./platform.ts";
import { addons } from "./schema/addons.ts";
import type { Draft } from "./shape.ts";

type Addons = NonNullable<Draft["addons"]>;

/** Presets of all platforms. */
export type PresetKey = Extract<keyof typeof PRESETS, keyof Addons>;

type Written<K extends PresetKey> = Addons[K];

/** The options of a preset in the file, without the boolean form. */
export type Told<K extends PresetKey> = Exclude<NonNullable<Written<K>>, boolean>;

/** The options of a preset, empty for `true`; undefined when the preset is not wanted. */
export function told<K extends PresetKey>({ addons, cluster }: Draft, key: K): Told<K> | undefined {
  const written: unknown = addons?.[key];
  if (typeof written === "object") return written as Told<K>;
  const asked = written === true || (key === "cilium" && written === undefined && cluster?.cni === "cilium");
  return asked ? ({} as Told<K>) : undefined;
}

/** The sections of the presets that only the platform of the file has. */
export function toldOf(
  { addons }: Draft,
  platform: ConfigPlatform | undefined,
): { key: string; addon: PlatformAddon; told: object }[] {
  const written = new Map<string, unknown>(Object.entries(addons ?? {}));
  return Object.entries(platform?.addons ?? {}).flatMap(([key, addon]) => {
    const told = written.get(key);
    return typeof told === "object" && told !== null ? [{ key, addon, told }] : [];
  });
}

/** The sections of all presets that the file has. */
export function toldCharts(draft: Draft, platform: ConfigPlatform | undefined): [key: string, told: { repository?: string }][] {
  return [
    ...PRESET_KEYS.map((key): [string, { repository?: string }] => [key, { ...told(draft, key) } as { repository?: string }]),
    ...toldOf(draft, platform).map(({ key, told }): [string, { repository?: string }] => [key, told]),
  ];
}

/** "metrics-server": what an addon is called outside of the config, where capitals are not taken. */
export function addonName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

/** In the order of the config reference. */
export const PRESET_KEYS = Object.keys(addons({}).shape).filter((key) => Object.hasOwn(PRESETS, key)) as PresetKey[];
