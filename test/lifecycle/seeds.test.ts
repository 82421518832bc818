import { test } from "vitest";
import { ADDONS } from "./addons-scenarios.ts";
import { CHANGES, FRESH, JUDGED } from "./cluster-scenarios.ts";
import { HOSTS } from "./host-scenarios.ts";
import { RENTED } from "./rented-scenarios.ts";
import { inTurn } from "./sample.ts";
import type { Play, Stage } from "./scenario.ts";
import { MACHINES } from "./scenarios.ts";
import { playSeed } from "./schedule.ts";
import { tally } from "./tally.ts";
import { expectNoViolations } from "./violation.ts";

/* A scenario with faults of all services, kills and outages, determined by a seed: it converges at the end. */

const PLAYS = [MACHINES, FRESH, RENTED, CHANGES, MACHINES, ADDONS, JUDGED, HOSTS] as unknown as readonly Play<Stage>[];
/** Two of them for each commit. */
const ALL = Array.from({ length: 96 }, (_, n) => n + 1);
const SEEDS = process.env.SEED === undefined ? inTurn(ALL, 48) : [Number(process.env.SEED)];

test.each(SEEDS)("seed %i: it converges despite all disturbances", async (seed) => {
  const play = PLAYS[seed % PLAYS.length] as Play<Stage>;
  const { found, recoveries, scenario, story } = await playSeed(seed, play);
  tally({ scenario, seeds: 1, recoveries, violations: found.length }, `seed ${seed}: ${story.join(", ") || "nothing happened"}`);
  expectNoViolations(found.map((line) => `${line}\nagain: SEED=${seed} npm run test:lifecycle -- seeds`));
});
