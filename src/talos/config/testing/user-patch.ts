import type { UserPatch } from "../../../config/config.ts";
import { parseConfig } from "../parse.ts";

/** A user's patch with fixed positions for tests: line 2 is the second document. */
export function userPatch(text: string, title = "patches/one.yaml"): UserPatch {
  return {
    title,
    documents: parseConfig(text),
    where: (document, path) => ({ file: title, line: document + 1, column: 1, frame: path.join("/") }),
  };
}
