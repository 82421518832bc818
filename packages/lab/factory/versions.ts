import { Refused } from "./reply.ts";

/**
 * Releases of the lab's factory, ascending as the real one lists them: the supported minors (docs/facts/talos.md#versions), and pre-releases of the
 * next minor.
 */
export const TALOS_VERSIONS: readonly string[] = [
  ...released("v1.12", 11),
  ...released("v1.13", 9),
  "v1.14.0-rc.0",
  "v1.14.0-rc.1",
  ...released("v1.14", 1),
];

function released(minor: string, newest: number): string[] {
  return Array.from({ length: newest + 1 }, (_, patch) => `${minor}.${patch}`);
}

/** The version with its leading v, which is optional in requests; an unknown one is refused as by the real factory. */
export function knownVersion(asked: string): string {
  const version = asked.startsWith("v") ? asked : `v${asked}`;
  if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) throw new Refused(500, "internal server error");
  if (!TALOS_VERSIONS.includes(version)) throw new Refused(404, `version ${version.slice(1)} is not available`);
  return version;
}
