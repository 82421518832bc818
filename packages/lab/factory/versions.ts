import { Refused } from "./reply.ts";

/**
 * Releases that the lab's factory knows, ascending as the real one lists them: the supported minors (docs/facts/talos.md#versions), and of v1.14
 * what came after it. Pre-releases appear of the newest minor only.
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

/** With its leading v, which callers may leave out; refused as the real factory does. */
export function knownVersion(asked: string): string {
  const version = asked.startsWith("v") ? asked : `v${asked}`;
  if (!/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version)) throw new Refused(500, "internal server error");
  if (!TALOS_VERSIONS.includes(version)) throw new Refused(404, `version ${version.slice(1)} is not available`);
  return version;
}
