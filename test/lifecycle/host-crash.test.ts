import { HOSTS } from "./host-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";

/* Root prepares hosts; talosmith is killed, or the power is cut. The next `host prepare` finishes the job. */

recoveryTests("hosts", HOSTS, { crashes: 2 });
