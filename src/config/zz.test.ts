import { writeFileSync } from "node:fs";
import { test } from "vitest";
import { parse } from "yaml";
import { EVERYTHING } from "./testing/everything.ts";
test("x", () => writeFileSync("/tmp/everything.json", JSON.stringify(parse(EVERYTHING))));
