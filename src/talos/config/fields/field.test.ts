import { describe, expect, test } from "vitest";
import { type Field, fieldsOf, inside, kindsOf, knownSince } from "./field.ts";
import { MINORS, minorOf } from "./kinds.ts";

// test/conformance/fields compares all tables with Talos's own types; these are examples of how they are read.
const field = (kind: string, path: string, minor: (typeof MINORS)[number] = "1.14") =>
  path.split(".").reduce<Field | undefined>((found, key) => found && inside(found, key), fieldsOf(kind, minor));

describe("the tables", () => {
  test("know the kinds of each minor; machinery 1.12.7, 1.13.9 and 1.14.1 register 37, 45 and 90 with the original one", () => {
    expect(MINORS.map((minor) => kindsOf(minor).length)).toEqual([37, 45, 90]);
  });

  test("know since when there is a kind or a key", () => {
    expect(knownSince("KubeSpanConfig", [])).toBe("1.13");
    expect(knownSince("KubeletConfig", [])).toBe("1.14");
    expect(knownSince("ResolverConfig", ["hostDNS", "enabled"])).toBe("1.14");
    expect(knownSince("ResolverConfig", ["nameserver"])).toBeUndefined();
    expect(knownSince("constructor", [])).toBeUndefined();
  });

  test("tell what changed between minors: arguments may be lists since 1.13", () => {
    expect(field("v1alpha1", "machine.kubelet.extraArgs.v", "1.12")).toMatchObject({ is: "plain", word: "text" });
    expect(field("v1alpha1", "machine.kubelet.extraArgs.v", "1.13")).toMatchObject({ is: "plain", word: "argument" });
  });

  test("tell what Talos keeps a pointer to", () => {
    expect(field("ZswapConfig", "maxPoolPercent")).toMatchObject({ word: "int", pointer: true });
    expect(field("v1alpha1", "machine.features.kubePrism.port")).toMatchObject({ word: "int", pointer: false });
  });
});

test.each([
  ["v1.12.7", "1.12"],
  ["1.13.0", "1.13"],
  ["v1.14.1", "1.14"],
  ["v1.11.0", "1.12"],
  ["v1.20.0", "1.14"],
])("%s is read by the tables of %s", (version, minor) => {
  expect(minorOf(version)).toBe(minor);
});
