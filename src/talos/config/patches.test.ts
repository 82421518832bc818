import { expect, test } from "vitest";
import { parseConfig } from "./parse.ts";
import { applyPatches } from "./patches.ts";
import { userPatch } from "./testing/user-patch.ts";

const config = parseConfig("machine: { sysctls: { a: '1' }, certSANs: [a] }\ncluster: { clusterName: one }");
const node = { node: "w-1", talosVersion: "v1.13.9" };

test("patches are laid over a config in their order, and the config stays as it was", () => {
  const before = structuredClone(config);
  const patches = ["machine: { certSANs: [b], sysctls: { a: '2' } }", "machine: { certSANs: [c], sysctls: { a: '3', b: '4' } }"];
  expect(
    applyPatches(
      config,
      patches.map((text) => userPatch(text)),
      node,
    ),
  ).toEqual([{ machine: { sysctls: { a: "3", b: "4" }, certSANs: ["a", "b", "c"] }, cluster: { clusterName: "one" } }]);
  expect(config).toEqual(before);
});

test.each([
  [
    "deletes what is not there",
    "machine: { nodeLabels: { x: { $patch: delete } } }",
    "unable to delete machine.nodeLabels.x: it is not in the config",
    { line: 1, frame: "machine/nodeLabels/x/$patch" },
  ],
  [
    "deletes a document that is not there",
    "debug: true\n---\napiVersion: v1alpha1\nkind: LinkConfig\nname: net7\n$patch: delete",
    "unable to delete LinkConfig net7: the config has no such document",
    { line: 2, frame: "$patch" },
  ],
  [
    "has a list where the config has a section",
    "machine: { sysctls: [a] }",
    "unable to merge machine.sysctls: it is a section of keys in the config and a list in the patch",
    { line: 1, frame: "machine/sysctls" },
  ],
])("a patch that %s is refused with its name, its node and its own line", (_, text, detail, where) => {
  expect(() => applyPatches(config, [userPatch("debug: true"), userPatch(text, "patches/gpu.yaml")], node)).toThrow(
    expect.objectContaining({
      kind: "user",
      message: "Unable to apply patch patches/gpu.yaml to node w-1",
      detail,
      hint: expect.any(String),
      where: expect.objectContaining({ file: "patches/gpu.yaml", ...where }),
    }),
  );
});
