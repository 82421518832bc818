import { ADDONS } from "./addons-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* Cilium, presets, a chart, a manifest and a Secret: after an interruption or a failed call, the same command finishes the job. */

recoveryTests("addons-recovery", ADDONS, { crashes: 2, faults: 2 });
