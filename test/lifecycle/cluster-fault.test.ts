import { FRESH, JUDGED } from "./cluster-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* A cluster is checked and created, with one call after the other failing. Quicker scenarios come first, and have most faults. */

recoveryTests("cluster-faults", { ...FRESH, scenarios: [...JUDGED.scenarios, ...FRESH.scenarios] }, { faults: 2 });
