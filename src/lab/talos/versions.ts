/** What a release of Talos brings (talos.md 0). */
interface Release {
  kernel: string;
  kubernetes: string;
  etcd: string;
  go: string;
}

const RELEASES: Record<number, Release> = {
  12: { kernel: "6.18.42-talos", kubernetes: "v1.35.4", etcd: "3.6.11", go: "go1.25.7" },
  13: { kernel: "6.18.44-talos", kubernetes: "v1.36.3", etcd: "3.6.9", go: "go1.26.2" },
  14: { kernel: "6.18.44-talos", kubernetes: "v1.37.0-rc.0", etcd: "3.7.1", go: "go1.26.4" },
};

/** 13 of "v1.13.9". */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 13);
}

export function releaseOf(version: string): Release {
  const minor = Math.min(14, Math.max(12, minorOf(version)));
  return RELEASES[minor] as Release;
}

/** Whether this is at least version 1.minor.patch. */
export function atLeast(version: string, minor: number, patch: number): boolean {
  const [, , third = 0] = version.replace(/^v/, "").split(/[.-]/).map(Number);
  return minorOf(version) > minor || (minorOf(version) === minor && third >= patch);
}
