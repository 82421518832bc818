import { POWER } from "./power-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* A cluster is stopped or started: cut off, or with a call going wrong, the same command finishes the job, or the opposite one does its own. */

recoveryTests("power", POWER, { crashes: 2, faults: 2 });
