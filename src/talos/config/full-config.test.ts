import { expect, test } from "vitest";
import { baseConfig } from "./base-config.ts";
import { fullConfig } from "./full-config.ts";
import { MachineConfig } from "./machine-config.ts";
import { mergeDocuments } from "./merge.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";
import { testBundle } from "./testing/test-bundle.ts";

const { input } = testBundle();
const base = (contract: string) => MachineConfig.of(baseConfig({ ...input, contract }, "worker"));
const hostname = (name: string) =>
  MachineConfig.of([{ apiVersion: "v1alpha1", kind: "HostnameConfig", auto: "off", hostname: name }]);

test.each(["v1.12", "v1.13", "v1.14"])("of contract %s, the parts as values and as files give the same bytes", (contract) => {
  const [whole, patch] = [base(contract), hostname("a")];
  expect(fullConfig(whole, patch).text).toBe(printConfig(mergeDocuments(parseConfig(whole.text), parseConfig(patch.text))));
});

test("documents that the patch does not change keep the base's bytes", () => {
  const whole = base("v1.14");
  expect(fullConfig(whole, hostname("a")).text).toBe(
    whole.text.replace("kind: HostnameConfig\nauto: stable\n", 'kind: HostnameConfig\nauto: "off"\nhostname: a\n'),
  );
});

test("user patches are applied last", () => {
  const patches = [{ title: "patches.all[0]", documents: [{ machine: { certSANs: ["x"] } }], where: () => undefined }];
  const full = fullConfig(base("v1.13"), hostname("a"), { name: "a", patches, talos: "v1.13.9" });
  expect(full.documents[0]).toMatchObject({ machine: { certSANs: ["x"] } });
});
