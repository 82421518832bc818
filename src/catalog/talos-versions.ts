import { compareVersions, parseVersion, type Version } from "./version.ts";

/** A Talos minor: the Kubernetes minors it supports, and its default Kubernetes by release. */
export interface TalosMinor {
  readonly minor: string;
  /** Kubernetes minors of major 1, both included. */
  readonly kubernetes: { readonly from: number; readonly to: number };
  /** The Kubernetes a release is built and tested with; it holds until the next entry. Oldest first. */
  readonly defaults: readonly { readonly since: string; readonly kubernetes: string }[];
}

/** docs/facts/talos.md#versions; each release's default is what its own tag says (pkg/machinery/constants). */
export const TALOS_MINORS: readonly TalosMinor[] = [
  {
    minor: "v1.12",
    kubernetes: { from: 30, to: 35 },
    defaults: [
      { since: "v1.12.0", kubernetes: "v1.35.0" },
      { since: "v1.12.5", kubernetes: "v1.35.2" },
      { since: "v1.12.7", kubernetes: "v1.35.4" },
    ],
  },
  {
    minor: "v1.13",
    kubernetes: { from: 31, to: 36 },
    defaults: [
      { since: "v1.13.0", kubernetes: "v1.36.0" },
      { since: "v1.13.3", kubernetes: "v1.36.1" },
      { since: "v1.13.5", kubernetes: "v1.36.2" },
      { since: "v1.13.9", kubernetes: "v1.36.3" },
    ],
  },
  {
    minor: "v1.14",
    kubernetes: { from: 32, to: 37 },
    defaults: [
      { since: "v1.14.0-rc.1", kubernetes: "v1.37.0-rc.0" },
      // From v1.14.1; v1.14.0 itself was not checked.
      { since: "v1.14.0", kubernetes: "v1.37.0" },
    ],
  },
];

export function talosMinor(version: Version): TalosMinor | undefined {
  return TALOS_MINORS.find(({ minor }) => minor === `v${version.major}.${version.minor}`);
}

/** The Kubernetes this very release was tested with, as far as the table knows: the newest entry that is not newer. */
export function defaultKubernetes(version: Version): string | undefined {
  const known = talosMinor(version)?.defaults;
  const notNewer = known?.filter(({ since }) => {
    const from = parseVersion(since);
    return from !== undefined && compareVersions(from, version) <= 0;
  });
  return (notNewer?.at(-1) ?? known?.at(0))?.kubernetes;
}

/** The newest known release of a minor version of Talos. */
export function newestTalos(minor: string): string | undefined {
  return TALOS_MINORS.find((one) => one.minor === minor)?.defaults.at(-1)?.since;
}

/** The newest release of a minor version of Kubernetes that is a default of some Talos; else its first one. */
export function newestKubernetes(minor: string): string {
  const known = TALOS_MINORS.flatMap(({ defaults }) => defaults.map(({ kubernetes }) => kubernetes));
  return known.findLast((text) => text.startsWith(`${minor}.`)) ?? `${minor}.0`;
}
