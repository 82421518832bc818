import { expect, test } from "vitest";
import { baseConfig } from "./base-config.ts";
import { fullConfig } from "./full-config.ts";
import { mergeDocuments } from "./merge.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";
import { testBundle } from "./testing/test-bundle.ts";

const { input } = testBundle();
const text = (contract: string) => printConfig(baseConfig({ ...input, contract }, "worker"));
const hostname = (name: string) => `apiVersion: v1alpha1\nkind: HostnameConfig\nauto: "off"\nhostname: ${name}\n`;

test("a node's patch is laid over its base, whichever bases and patches came before", () => {
  for (const name of ["a", "b"])
    for (const contract of ["v1.12", "v1.13", "v1.14"]) {
      const [base, patch] = [text(contract), hostname(name)];
      expect(fullConfig(base, patch)).toBe(printConfig(mergeDocuments(parseConfig(base), parseConfig(patch))));
    }
});

test("documents that the patch does not change keep the base's bytes", () => {
  const base = text("v1.14");
  expect(fullConfig(base, hostname("a"))).toBe(
    base.replace("kind: HostnameConfig\nauto: stable\n", 'kind: HostnameConfig\nauto: "off"\nhostname: a\n'),
  );
});

test("user patches are applied last", () => {
  const patches = [{ title: "patches.all[0]", documents: [{ machine: { certSANs: ["x"] } }], where: () => undefined }];
  const full = fullConfig(text("v1.13"), hostname("a"), { name: "a", patches, talos: "v1.13.9" });
  expect(parseConfig(full)[0]).toMatchObject({ machine: { certSANs: ["x"] } });
});
