import { expect, test } from "vitest";
import { defaultKubernetes, TALOS_MINORS, talosMinor } from "./talos-versions.ts";
import { compareVersions, parseVersion, type Version } from "./version.ts";

function version(text: string): Version {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
}

// docs/facts/talos.md#versions; v1.12.5, v1.13.3, v1.13.5 and v1.14.1 from constants.go of these releases.
test.each([
  ["v1.12.0", "v1.35.0"],
  ["v1.12.4", "v1.35.0"],
  ["v1.12.5", "v1.35.2"],
  ["v1.12.7", "v1.35.4"],
  ["v1.12.11", "v1.35.4"],
  ["v1.13.0", "v1.36.0"],
  ["v1.13.3", "v1.36.1"],
  ["v1.13.5", "v1.36.2"],
  ["v1.13.9", "v1.36.3"],
  ["v1.14.0-rc.1", "v1.37.0-rc.0"],
  ["v1.14.1", "v1.37.0"],
])("Talos %s brings Kubernetes %s", (talos, kubernetes) => {
  expect(defaultKubernetes(version(talos))).toBe(kubernetes);
});

test("a release newer than the table gets the newest Kubernetes its line is known with", () => {
  expect(defaultKubernetes(version("v1.13.20"))).toBe("v1.36.3");
});

test("the ranges are those of Talos's compatibility tables", () => {
  expect(TALOS_MINORS.map(({ minor, kubernetes }) => [minor, kubernetes.from, kubernetes.to])).toEqual([
    ["v1.12", 30, 35],
    ["v1.13", 31, 36],
    ["v1.14", 32, 37],
  ]);
});

test("every default is inside its own range", () => {
  for (const { kubernetes, defaults } of TALOS_MINORS)
    for (const entry of defaults) {
      const { minor } = version(entry.kubernetes);
      expect(minor >= kubernetes.from && minor <= kubernetes.to).toBe(true);
    }
});

test("other lines are unknown", () => {
  expect(["v1.11.6", "v1.15.0", "v2.13.0"].map((text) => talosMinor(version(text)))).toEqual([undefined, undefined, undefined]);
});

test.each(["1.13.9", "v1.13", "v1.13.9.1", "v1.13.9-dirty", "v01.13.9", "latest", ""])("%j is no full version", (text) => {
  expect(parseVersion(text)).toBeUndefined();
});

test("versions are ordered, pre-releases before their release", () => {
  const sorted = ["v1.14.0", "v1.9.12", "v1.14.0-rc.1", "v1.14.0-beta.2", "v1.13.10", "v1.13.9", "v1.14.0-rc.10"]
    .map(version)
    .sort(compareVersions)
    .map(({ text }) => text);
  expect(sorted).toEqual(["v1.9.12", "v1.13.9", "v1.13.10", "v1.14.0-beta.2", "v1.14.0-rc.1", "v1.14.0-rc.10", "v1.14.0"]);
});
