import { type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import type { Path } from "@talosmith/lib/yaml/tree.ts";

/** Why a patch cannot be laid over a config, and where in the patch's document that stands. */
export class Refusal extends Error {
  constructor(
    readonly code: "PATCH_SHAPE" | "PATCH_DELETE" | "PATCH_TWICE",
    readonly said: {
      /** Of the patch's document. */
      readonly path: Path;
      /** Behind "Unable to …". */
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
