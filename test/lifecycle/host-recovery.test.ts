import { HOSTS } from "./host-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* Root prepares hosts; talosmith is killed, the power is cut, or a command goes wrong. The next `host prepare` ends it. */

recoveryTests("hosts", HOSTS, { crashes: 2, faults: 2 });
