import * as fc from "fast-check";
import { expect, test } from "vitest";
import { PRESETS } from "./addons/presets.ts";
import { CILIUM_MINORS, compatibilityOf } from "./compatibility.ts";
import { defaultKubernetes, TALOS_MINORS } from "./talos-versions.ts";
import { parseVersion } from "./version.ts";

const PINNED = PRESETS.cilium.chart.version;

// Talos 1.14 brings Kubernetes 1.37, which is not in Cilium's list; pin 1.36 with Cilium 1.20 (docs/facts/kubernetes.md#cilium-and-kubernetes-versions).
test("the Kubernetes of Talos 1.14 is too new for Cilium 1.20, and one minor less is the nearest set", () => {
  expect(compatibilityOf({ talos: "v1.14.1", kubernetes: "v1.37.0", cilium: "1.20.1" })).toEqual({
    why: "Cilium 1.20 is tested with Kubernetes 1.33 to 1.36, not 1.37",
    nearest: { talos: "v1.14.1", kubernetes: "v1.36.3", cilium: "1.20.1" },
  });
});

test("without Cilium its table is ignored", () => {
  expect(compatibilityOf({ talos: "v1.14.1", kubernetes: "v1.37.0" })).toBeUndefined();
});

// Requirements pages in Cilium's own repository at v1.20.1, v1.19.7, v1.18.11 and v1.17.3.
test.each([
  ["1.20.1", ["v1.33.0", "v1.36.3"], ["v1.32.0", "v1.37.0"]],
  ["1.19.7", ["v1.31.0", "v1.34.0"], ["v1.30.0", "v1.35.4"]],
  ["1.18.11", ["v1.30.0", "v1.33.0"], ["v1.34.0"]],
  ["1.17.3", ["v1.32.0"], ["v1.33.0"]],
])("Cilium %s is tested with %j and not with %j", (cilium, tested, untested) => {
  const talosFor = (kubernetes: string) => (kubernetes < "v1.31" ? "v1.12.11" : kubernetes > "v1.36" ? "v1.14.1" : "v1.13.9");
  const judged = (kubernetes: string) => compatibilityOf({ talos: talosFor(kubernetes), kubernetes, cilium })?.why;
  for (const kubernetes of tested) expect([kubernetes, judged(kubernetes)]).toEqual([kubernetes, undefined]);
  for (const kubernetes of untested) expect(judged(kubernetes)).toMatch(`Cilium ${cilium.slice(0, 4)} is tested with`);
});

test("an old Cilium on a new Kubernetes is nearer to a newer Cilium than to an older Kubernetes", () => {
  expect(compatibilityOf({ talos: "v1.13.9", kubernetes: "v1.36.3", cilium: "1.19.7" })?.nearest).toEqual({
    talos: "v1.13.9",
    kubernetes: "v1.36.3",
    cilium: "1.20.1",
  });
});

test("an unknown Cilium is reported as untested", () => {
  expect(compatibilityOf({ talos: "v1.13.9", kubernetes: "v1.36.3", cilium: "1.21.0" })).toEqual({
    why: "Cilium 1.21 is not a tested version",
    nearest: { talos: "v1.13.9", kubernetes: "v1.36.3", cilium: "1.20.1" },
  });
});

// docs/facts/talos.md#versions
test("a Kubernetes that Talos does not take is named with what it takes", () => {
  expect(compatibilityOf({ talos: "v1.12.11", kubernetes: "v1.36.3" })).toEqual({
    why: "Talos 1.12 supports Kubernetes 1.30 to 1.35, not 1.36",
    nearest: { talos: "v1.12.11", kubernetes: "v1.35.4" },
  });
});

test("a new cluster with Talos 1.12 or 1.13 is tested as it comes", () => {
  for (const talos of ["v1.12.11", "v1.13.9"]) {
    const version = parseVersion(talos);
    const kubernetes = version && defaultKubernetes(version);
    expect(compatibilityOf({ talos, kubernetes: kubernetes ?? "", cilium: PINNED })).toBeUndefined();
  }
});

test("whatever is asked, the nearest set has the same Talos and is tested itself", () => {
  const versions = fc.record({
    talos: fc.constantFrom(...TALOS_MINORS.map(({ minor }) => `${minor}.0`)),
    kubernetes: fc.integer({ min: 25, max: 40 }).map((minor) => `v1.${minor}.0`),
    cilium: fc.option(
      fc.integer({ min: 14, max: 23 }).map((minor) => `1.${minor}.0`),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(versions, ({ talos, kubernetes, cilium }) => {
      const untested = compatibilityOf({ talos, kubernetes, ...(cilium !== undefined && { cilium }) });
      if (untested === undefined) return;
      const { nearest } = untested;
      if (nearest === undefined) throw new Error(`nothing is near to ${talos}, ${kubernetes}, ${cilium}`);
      expect(nearest.talos).toBe(talos);
      expect(compatibilityOf(nearest)).toBeUndefined();
      expect(nearest.cilium === undefined).toBe(cilium === undefined);
    }),
  );
});

test("the pinned Cilium is of the newest line that is known", () => {
  expect(PINNED).toMatch(new RegExp(`^1\\.${CILIUM_MINORS[0]?.minor}\\.`));
});
