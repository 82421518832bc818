import type { NodeView } from "../../talos/view.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";

export const CONTROL_PLANE = "node-role.kubernetes.io/control-plane";

/** Talos records its own labels and taints here: those removed from the config are removed from the node, all others stay. */
const OWNED_LABELS = "talos.dev/owned-labels";
const OWNED_TAINTS = "talos.dev/owned-taints";
const OWNED_ANNOTATIONS = "talos.dev/owned-annotations";

/** Taints that reflect a node's state. */
const STATES = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** A node with the labels and taints of its machine's config. */
export function markNode(cluster: SimulatedCluster, view: NodeView, node: KubeObject): KubeObject {
  const { labels = {}, annotations = {} } = node.metadata;
  const ownLabels = talosLabels(view);
  const ownTaints = talosTaints(cluster, view);
  const lost = namesIn(annotations[OWNED_LABELS]).filter((key) => !(key in ownLabels));
  const keptLabels = Object.fromEntries(Object.entries(labels).filter(([key]) => !lost.includes(key)));
  const formerly = new Set([...namesIn(annotations[OWNED_TAINTS]), ...ownTaints.map(({ key }) => key)]);
  const others: Loose[] = (node.spec?.taints ?? []).filter(({ key }: Loose) => !formerly.has(key));
  const ownAnnotations = view.kubelet.annotations;
  const lostNotes = namesIn(annotations[OWNED_ANNOTATIONS]).filter((key) => !(key in ownAnnotations));
  const gone = [OWNED_LABELS, OWNED_TAINTS, OWNED_ANNOTATIONS, ...lostNotes];
  const rest = Object.fromEntries(Object.entries(annotations).filter(([key]) => !gone.includes(key)));
  return {
    ...node,
    metadata: {
      ...node.metadata,
      labels: { ...keptLabels, ...kubeletLabels(view), ...ownLabels },
      annotations: {
        ...rest,
        ...ownAnnotations,
        ...(Object.keys(ownAnnotations).length > 0 && {
          [OWNED_ANNOTATIONS]: JSON.stringify(Object.keys(ownAnnotations).sort()),
        }),
        ...(Object.keys(ownLabels).length > 0 && { [OWNED_LABELS]: JSON.stringify(Object.keys(ownLabels).sort()) }),
        ...(ownTaints.length > 0 && { [OWNED_TAINTS]: JSON.stringify(ownTaints.map(({ key }) => key).sort()) }),
      },
    },
    spec: withTaints(node.spec, [...ownTaints, ...others]),
  };
}

function namesIn(note: string | undefined): string[] {
  return note === undefined ? [] : (JSON.parse(note) as string[]);
}

function kubeletLabels({ name }: NodeView): Record<string, string> {
  return {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
  };
}

function talosLabels({ role, kubelet }: NodeView): Record<string, string> {
  return { ...(role === "controlplane" && { [CONTROL_PLANE]: "" }), ...kubelet.labels };
}

function talosTaints(
  { settings }: SimulatedCluster,
  { role, kubelet }: NodeView,
): { key: string; value?: string; effect: string }[] {
  const closed = role === "controlplane" && !settings.schedulable;
  const given = kubelet.taints.filter(({ key }) => key !== CONTROL_PLANE);
  return [...(closed ? [{ key: CONTROL_PLANE, effect: "NoSchedule" }] : []), ...given];
}

/** The spec with the taints of its state, besides its other taints. */
export function withState(spec: Loose, states: readonly ("not-ready" | "unreachable")[]): Loose {
  const given: Loose[] = (spec?.taints ?? []).filter(({ key }: Loose) => !STATES.includes(key));
  const set = states.flatMap((state) =>
    ["NoSchedule", "NoExecute"].map((effect) => ({ key: `node.kubernetes.io/${state}`, effect })),
  );
  return withTaints(spec, [...given, ...set]);
}

function withTaints(spec: Loose, taints: readonly Loose[]): Loose {
  const { taints: _, ...rest } = spec ?? {};
  return { ...rest, ...(taints.length > 0 && { taints }) };
}
