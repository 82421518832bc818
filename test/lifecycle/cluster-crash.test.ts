import { FRESH } from "./cluster-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* From machines that wait for their config to a cluster: after an interruption at every kind of moment, the same command finishes the job. */

recoveryTests("cluster", FRESH, { crashes: 2 });
