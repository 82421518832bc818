import type { Check } from "../../engine/step.ts";

const VERSIONS: ReadonlySet<string> = new Set(["TALOS_VERSION", "KUBERNETES_VERSION"]);

/** `up` keeps another version and must not fail because of what it keeps. Whoever asks whether the cluster is what the config says gets a no. */
export function otherVersionsFail(check: Check): Check {
  return {
    ...check,
    run: async (c) => {
      const findings = await check.run(c);
      return findings.map((one) => (one.level === "warn" && VERSIONS.has(one.code) ? { ...one, level: "fail" as const } : one));
    },
  };
}
