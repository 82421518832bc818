import { describe } from "vitest";
import { OPERATIONS } from "./operation-scenarios.ts";
import { POWER } from "./power-scenarios.ts";
import { recoveryTests } from "./recovery-tests.ts";
import { inTurn } from "./sample.ts";

/* Operations, killed or with one failing call: the same command finishes the job; after `stop` and `start`, the opposite command works as well. */

const parts = { crashes: 2, faults: 2 };
const plays = [
  () => describe("node replace", () => recoveryTests("operations", OPERATIONS, parts)),
  () => describe("stop and start", () => recoveryTests("power", POWER, parts)),
];
for (const play of inTurn(plays, 2)) play();
