import { configureGlobal } from "fast-check";

/* Property tests use the same cases for the same PROPERTY_SEED (see test/runner/seed.js); with FULL=1 many more of them. */

const { PROPERTY_SEED, FULL } = process.env;
configureGlobal({
  ...(PROPERTY_SEED !== undefined && { seed: Number(PROPERTY_SEED) }),
  ...(FULL !== undefined && { numRuns: 2_000 }),
});
