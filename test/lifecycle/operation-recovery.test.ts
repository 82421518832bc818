import { OPERATIONS } from "./operation-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* Operations, cut off or with a call going wrong: the same command finishes the job. */

recoveryTests("operations", OPERATIONS, { crashes: 2, faults: 2 });
