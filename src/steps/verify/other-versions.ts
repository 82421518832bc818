import type { Check } from "../../engine/step.ts";

const VERSIONS: ReadonlySet<string> = new Set(["TALOS_VERSION", "KUBERNETES_VERSION"]);

/** Another version is not what the config says. No patience helps against it: so a check warns while it looks, and fails in the end. */
export function otherVersionsFail(check: Check): Check {
  return {
    ...check,
    run: async (c) => {
      const findings = await check.run(c);
      return findings.map((one) => (one.level === "warn" && VERSIONS.has(one.code) ? { ...one, level: "fail" as const } : one));
    },
  };
}
