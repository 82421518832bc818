import { createHash } from "node:crypto";

/** Versions in a release of Talos: pkg/machinery/constants of 1.12.7, 1.13.9 and 1.14.1. */
interface Release {
  kernel: string;
  /** The default when the config names no image. */
  kubernetes: string;
  etcd: string;
  go: string;
  coreDns: string;
  flannel: string;
  containerd: string;
}

const RELEASES: Record<number, Release> = {
  12: {
    kernel: "6.18.24-talos",
    kubernetes: "v1.35.4",
    etcd: "3.6.9",
    go: "go1.25.9",
    coreDns: "v1.13.2",
    flannel: "v0.27.4",
    containerd: "2.1.7",
  },
  13: {
    kernel: "6.18.44-talos",
    kubernetes: "v1.36.3",
    etcd: "3.6.12",
    go: "go1.26.6",
    coreDns: "v1.14.6",
    flannel: "0.28.8",
    containerd: "2.2.7",
  },
  14: {
    kernel: "6.18.51-talos",
    kubernetes: "v1.37.0",
    etcd: "3.7.1",
    go: "go1.26.8",
    coreDns: "v1.14.7",
    flannel: "0.28.9",
    containerd: "2.3.5",
  },
};

/** The minor version: 13 for "v1.13.9". */
export function minorOf(version: string): number {
  return Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? 13);
}

export function releaseOf(version: string): Release {
  const minor = Math.min(14, Math.max(12, minorOf(version)));
  return RELEASES[minor] as Release;
}

/** Whether a version is at least 1.minor.patch. */
export function atLeast(version: string, minor: number, patch: number): boolean {
  const [, , third = 0] = version.replace(/^v/, "").split(/[.-]/).map(Number);
  return minorOf(version) > minor || (minorOf(version) === minor && third >= patch);
}

/** A made-up commit of a release: different for each, and always the same. */
export function commitOf(version: string): string {
  return createHash("sha1").update(`talos ${version}`).digest("hex").slice(0, 8);
}
