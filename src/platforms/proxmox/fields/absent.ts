import type { VmConfig } from "../client/qemu.ts";
import type { FieldItem } from "./field.ts";

/**
 * Options of this kind that should not be there: `words` says what a value is in words, or undefined when it is not ours to take away.
 */
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
