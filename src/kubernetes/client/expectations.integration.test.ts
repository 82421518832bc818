import { afterAll, beforeAll } from "vitest";
import { accessExpectations } from "./testing/expectations/access.ts";
import { admissionExpectations } from "./testing/expectations/admission.ts";
import { applyExpectations } from "./testing/expectations/apply.ts";
import { definitionExpectations } from "./testing/expectations/definitions.ts";
import { objectExpectations } from "./testing/expectations/objects.ts";
import { ourObjectExpectations } from "./testing/expectations/ours.ts";
import type { Place } from "./testing/expectations/place.ts";
import { ruleExpectations } from "./testing/expectations/rules.ts";
import { watchExpectations } from "./testing/expectations/watching.ts";
import { labServer, realServer } from "./testing/expectations/where.ts";

/** A file with the address of a real API server; without one, the lab's is used. */
const REAL = process.env.TALOSMITH_API_SERVER;

let place: Place;
beforeAll(async () => {
  place = await (REAL === undefined ? labServer() : realServer(REAL));
});
afterAll(() => place.close());

for (const expectations of [
  objectExpectations,
  applyExpectations,
  ruleExpectations,
  watchExpectations,
  definitionExpectations,
  admissionExpectations,
  accessExpectations,
  ourObjectExpectations,
])
  expectations(() => place);
