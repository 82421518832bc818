import type { VmConfig } from "../client/qemu.ts";
import type { FieldItem } from "./field.ts";

/** Fields for options that should be absent. `words` describes a value in words; undefined keeps the option. */
export function absent(
  kind: RegExp,
  { live, next }: VmConfig,
  words: (option: string, value: string) => string | undefined,
  rootOnly?: (value: string) => boolean,
): FieldItem[] {
  const options = [...new Set([...Object.keys(live), ...Object.keys(next)])].filter((option) => kind.test(option)).sort();
  return options
    .filter((option) => [live[option], next[option]].some((value) => value !== undefined && words(option, value) !== undefined))
    .map((option) => ({
      path: option,
      read: (now) => (now[option] === undefined ? "none" : (words(option, now[option]) ?? "none")),
      want: "none",
      send: () => ({ unset: [option] }),
      ...(rootOnly && { rootOnly: (now) => now[option] !== undefined && rootOnly(now[option]) }),
    }));
}
