import { HOSTS } from "./host-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* Root prepares hosts, with one command after the other failing. */

recoveryTests("hosts' faults", HOSTS, { faults: 2 });
