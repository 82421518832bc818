import { CHANGES } from "./cluster-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* What becomes of a living cluster when the config changes: cut off, or with a call going wrong, the same command finishes the job. */

recoveryTests("change", CHANGES, { crashes: 2, faults: 2 });
