import type { Check } from "../../engine/step.ts";

const VERSIONS: ReadonlySet<string> = new Set(["TALOS_VERSION", "KUBERNETES_VERSION"]);

/** Turns the warnings about other versions into failures at the end: repeating the check does not help, so it only warns meanwhile. */
export function otherVersionsFail(check: Check): Check {
  return {
    ...check,
    run: async (c) => {
      const findings = await check.run(c);
      return findings.map((one) => (one.level === "warn" && VERSIONS.has(one.code) ? { ...one, level: "fail" as const } : one));
    },
  };
}
