import { recoveryTests } from "./recovery-tests.ts";
import { RENTED } from "./rented-scenarios.ts";

/* One server is taken over, with one call and one command after the other failing. */

recoveryTests("takeover's faults", RENTED, { faults: 2 });
