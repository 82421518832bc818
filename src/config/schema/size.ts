import { leaves, text } from "./value.ts";
import type * as words from "./words.ts";

export function sizeText(about: string, example: string, check: typeof words.size) {
  return text({ about, example, pattern: /^\d+(\.\d+)? ?[MGT]iB?$/, check }).register(leaves, {
    example,
    typeHint: `write a number and a unit, such as ${example}`,
    numberSays: "has no unit",
  });
}

export function size(about: string, example: string, check: typeof words.size) {
  return sizeText(about, example, check).optional();
}
