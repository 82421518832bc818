import { FRESH, JUDGED } from "./cluster-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* A cluster is judged and made, with one call after the other going wrong. What is quicker comes first, and has most of them. */

recoveryTests("cluster-faults", { ...FRESH, scenarios: [...JUDGED.scenarios, ...FRESH.scenarios] }, { faults: 2 });
