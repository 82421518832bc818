import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject } from "vitest";

/* The setup file of all tests of a mutation run: answers `$mutant(id)`, or notes in the folder `reach` which mutants a test file comes across. */

const active = inject("active");
const folder = inject("reach");
/** While modules are loaded, which happens once for several test files, and while the tests of this file run. */
const [loading, running] = [new Set(), new Set()];
let reached = loading;
globalThis.$mutant = (id) => {
  if (active === undefined) reached.add(id);
  return id === active;
};

if (folder !== undefined) {
  beforeAll(() => {
    reached = running;
  });
  afterAll(() => {
    const { testPath } = expect.getState();
    const notes = { file: testPath, loading: [...loading], running: [...running] };
    writeFileSync(join(folder, `${testPath.replaceAll("/", "+")}.json`), JSON.stringify(notes));
  });
}
