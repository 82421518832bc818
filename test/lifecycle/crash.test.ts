import { recoveryTests } from "./recovery-tests.ts";
import { MACHINES } from "./scenarios.ts";

/* Machines on Proxmox: after an interruption at every kind of moment, the next command finishes the job. */

recoveryTests("lifecycle", MACHINES, { crashes: 2, files: true });
