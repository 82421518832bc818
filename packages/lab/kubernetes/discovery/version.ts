import type { SimulatedCluster } from "../cluster.ts";
import { contentHash } from "../identity.ts";
import type { Loose } from "../objects.ts";

/** /version of the API server's image. */
export function versionOf(cluster: SimulatedCluster): Loose {
  const gitVersion = cluster.settings.kubernetes;
  const [, major = "1", minor = "0"] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: contentHash(gitVersion, 32),
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z",
    goVersion: "go1.25.0",
    compiler: "gc",
    platform: "linux/amd64",
  };
}
