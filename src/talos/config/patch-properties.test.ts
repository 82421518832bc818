import { TalosmithError } from "@talosmith/lib/errors.ts";
import type { Json } from "@talosmith/lib/json.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import type { UserPatch } from "../../config/config.ts";
import { kindsOf } from "./fields/field.ts";
import { MINORS } from "./fields/kinds.ts";
import { parseConfig } from "./parse.ts";
import { patchProblems } from "./patch-problems.ts";
import { applyPatches } from "./patches.ts";
import { configProblems } from "./validate.ts";

const KEYS = [
  "machine",
  "cluster",
  "network",
  "name",
  "$patch",
  "addresses",
  "provisioning",
  "sysctls",
  "inlineManifests",
  "install",
];
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, false, 0, 1.5, "", "text", "delete", "10.0.0.1/24"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const document = fc
  .tuple(
    fc.option(fc.constantFrom(...kindsOf("1.14"))),
    fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 5, noNullPrototype: true }),
  )
  .map(([kind, rest]) => (kind === null ? rest : { ...rest, apiVersion: "v1alpha1", kind }));
const patch = fc
  .array(document, { maxLength: 3 })
  .map(
    (documents): UserPatch => ({ title: "patch", documents, where: (_, path) => ({ file: path.join("/"), line: 1, column: 1 }) }),
  );
const minor = fc.constantFrom(...MINORS);
const config = parseConfig("machine: { type: worker, sysctls: { a: '1' } }\ncluster: { inlineManifests: [{ name: a }] }");

test("whatever a patch holds, it is either taken or refused with a hint and a place, and nothing that went in is changed", () => {
  fc.assert(
    fc.property(patch, minor, (one, talosVersion) => {
      const before = structuredClone([config, one.documents]);
      for (const { hint, where } of patchProblems([one], talosVersion)) expect(hint && where).toBeTruthy();
      try {
        const whole = applyPatches(config, [one], { node: "n", talosVersion });
        for (const { hint } of configProblems(whole, { role: "worker", mode: "metal", talosVersion, patches: [one] }))
          expect(hint).toBeTruthy();
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(TalosmithError);
        expect(thrown).toMatchObject({ kind: "user", hint: expect.any(String), where: expect.anything() });
      }
      expect([config, one.documents]).toEqual(before);
    }),
    { numRuns: runs(500) },
  );
});
