/** v1.13.9, v1.14.0-rc.1 */
export interface Version {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** "rc.1"; absent for a release. */
  readonly pre?: string;
}

export function parseVersion(text: string): Version | undefined {
  const match = /^v(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})(?:-((?:alpha|beta|rc)\.\d{1,4}))?$/.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, pre] = match;
  return { text, major: Number(major), minor: Number(minor), patch: Number(patch), ...(pre !== undefined && { pre }) };
}

/** "v1.13" */
export function minorOf(version: Version): string {
  return `v${version.major}.${version.minor}`;
}

/** Negative when `a` is older. A pre-release is older than its release. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePre(a.pre, b.pre);
}

function comparePre(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  const [aKind = "", aNumber] = a.split(".");
  const [bKind = "", bNumber] = b.split(".");
  return aKind === bKind ? Number(aNumber) - Number(bNumber) : aKind < bKind ? -1 : 1;
}
