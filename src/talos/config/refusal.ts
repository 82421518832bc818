import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";

/** The reason why a patch cannot be applied, with its place in the patch's document. */
export class Refusal extends Error {
  constructor(
    readonly code: "PATCH_SHAPE" | "PATCH_DELETE" | "PATCH_TWICE",
    readonly said: {
      /** The path in the patch's document. */
      readonly path: Path;
      /** The text after "Unable to …". */
      readonly unableTo: string;
      readonly why: string;
      readonly hint: string;
    },
  ) {
    super(`Unable to ${said.unableTo}: ${said.why}`);
  }

  asUserError(): TalosmithError {
    return userError(this.code, { message: this.message, hint: this.said.hint });
  }
}
