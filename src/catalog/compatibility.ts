import { newestKubernetes, talosMinor } from "./talos-versions.ts";
import { parseVersion } from "./version.ts";

/** One line of Cilium, and the Kubernetes minors of major 1 it was tested with, both included. */
interface CiliumMinor {
  readonly minor: number;
  readonly kubernetes: { readonly from: number; readonly to: number };
  /** The newest known release. */
  readonly release: string;
}

/** From the requirements page of each release (docs/facts/kubernetes.md#cilium-and-kubernetes-versions); what Talos accepts is in talos-versions.ts. Newest first. */
export const CILIUM_MINORS: readonly CiliumMinor[] = [
  { minor: 20, kubernetes: { from: 33, to: 36 }, release: "1.20.1" },
  { minor: 19, kubernetes: { from: 31, to: 34 }, release: "1.19.7" },
  { minor: 18, kubernetes: { from: 30, to: 33 }, release: "1.18.13" },
  { minor: 17, kubernetes: { from: 29, to: 32 }, release: "1.17.18" },
];

/** Versions that go together: "v1.13.9", "v1.36.3", "1.20.1". */
export interface Versions {
  readonly talos: string;
  readonly kubernetes: string;
  /** Absent with another network. */
  readonly cilium?: string;
}

export interface Untested {
  /** "Cilium 1.20 is tested with Kubernetes 1.33 to 1.36, not 1.37" */
  readonly why: string;
  /** The nearest tested versions with the same Talos; absent when there are none. */
  readonly nearest?: Versions;
}

/** Undefined when these were tested together, as far as the tables know. */
export function compatibilityOf({ talos, kubernetes, cilium }: Versions): Untested | undefined {
  const [talosVersion, kubernetesVersion] = [parseVersion(talos), parseVersion(kubernetes)];
  const line = talosVersion && talosMinor(talosVersion);
  if (!line || !kubernetesVersion) return undefined;
  const asked = {
    talos,
    kubernetes: { text: kubernetes, minor: kubernetesVersion.minor },
    cilium: ciliumOf(cilium),
    accepted: line.kubernetes,
  };
  const why = isWithin(asked.kubernetes.minor, line.kubernetes)
    ? ciliumProblem(asked)
    : `Talos ${line.minor.slice(1)} supports ${span(line.kubernetes)}, not 1.${asked.kubernetes.minor}`;
  if (why === undefined) return undefined;
  const nearest = nearestTo(asked);
  return { why, ...(nearest && { nearest }) };
}

interface Asked {
  readonly talos: string;
  readonly kubernetes: { readonly text: string; readonly minor: number };
  readonly cilium: { readonly text: string; readonly minor: number } | undefined;
  readonly accepted: Span;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function ciliumOf(text: string | undefined): Asked["cilium"] {
  const minor = /^v?1\.(\d+)\./.exec(text ?? "")?.[1];
  return text === undefined || minor === undefined ? undefined : { text, minor: Number(minor) };
}

function ciliumProblem({ cilium, kubernetes }: Asked): string | undefined {
  if (!cilium) return undefined;
  const known = CILIUM_MINORS.find(({ minor }) => minor === cilium.minor);
  if (!known) return `Cilium 1.${cilium.minor} is not a tested version`;
  if (isWithin(kubernetes.minor, known.kubernetes)) return undefined;
  return `Cilium 1.${cilium.minor} is tested with ${span(known.kubernetes)}, not 1.${kubernetes.minor}`;
}

/** The tested versions with this Talos that change the fewest minors; newer ones preferred. */
function nearestTo({ talos, kubernetes, cilium, accepted }: Asked): Versions | undefined {
  const lines = cilium ? CILIUM_MINORS : [undefined];
  const sets = lines.flatMap((line) =>
    minorsOf(accepted, line?.kubernetes).map((minor) => {
      const steps = Math.abs(minor - kubernetes.minor) + (line && cilium ? Math.abs(line.minor - cilium.minor) : 0);
      const same = line?.minor === cilium?.minor ? cilium?.text : line?.release;
      const versions: Versions = {
        talos,
        kubernetes: minor === kubernetes.minor ? kubernetes.text : newestKubernetes(`v1.${minor}`),
        ...(same !== undefined && { cilium: same }),
      };
      return { steps, versions };
    }),
  );
  return sets.toSorted((a, b) => a.steps - b.steps)[0]?.versions;
}

/** Newest first. */
function minorsOf(accepted: Span, tested: Span = accepted): number[] {
  const from = Math.max(accepted.from, tested.from);
  const to = Math.min(accepted.to, tested.to);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => to - index);
}

const isWithin = (minor: number, { from, to }: Span) => minor >= from && minor <= to;
const span = ({ from, to }: Span) => `Kubernetes 1.${from} to 1.${to}`;
