import { secretsBundle } from "../steps/generate/secrets-bundle.ts";
import { removals } from "./removals.ts";
import type { Workflow } from "./workflow.ts";

/** Everything `up` does, in order. Each line is one file under steps/ or platforms/<p>/steps/. */
export const up: Workflow = ({ env, platform, found, redactor }) => [
  ...platform.steps("preflight", found),
  secretsBundle(env, redactor),
  ...platform.steps("image", found),
  ...removals(env, platform, found),
  ...platform.steps("provision", found),
];
