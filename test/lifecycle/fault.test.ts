import { recoveryTests } from "./recovery-tests.ts";
import { MACHINES } from "./scenarios.ts";

/* Machines on Proxmox, with one call after the other failing. */

recoveryTests("faults", MACHINES, { faults: 3 });
