import { CHANGES } from "./cluster-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* A running cluster whose config changes: after an interruption or a failed call, the same command finishes the job. */

recoveryTests("change", CHANGES, { crashes: 2, faults: 2 });
