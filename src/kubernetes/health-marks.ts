import { type ExpectedNode, nodeOf, type Problem } from "./health.ts";
import type { Node, Taint } from "./objects.ts";

/* Are nodes called and marked as the config says? Functions over what was listed, as in health.ts. */

export const GPU_RESOURCE = "nvidia.com/gpu";

/** A node of the config with its expected labels and taints. */
export interface MarkedNode extends ExpectedNode {
  labels: Readonly<Record<string, string>>;
  /** Key → "value:Effect" or "Effect" alone. */
  taints: Readonly<Record<string, string>>;
}

/** Kubernetes calls a node by its machine's name, or by that name within a domain. */
export function nameProblems(nodes: readonly Node[], expected: readonly ExpectedNode[]): Problem[] {
  return expected.flatMap((one) => {
    const name = nodeOf(nodes, one)?.metadata.name;
    if (name === undefined || name === one.name || name.startsWith(`${one.name}.`)) return [];
    const hint = "a node keeps the name it registered with: check whether a patch sets another hostname";
    return [{ subject: one.name, problem: `is called ${name} in Kubernetes`, hint }];
  });
}

/** Talos puts the labels and taints of the config on its Node; others may be there, too. */
export function markProblems(nodes: readonly Node[], expected: readonly MarkedNode[]): Problem[] {
  return expected.flatMap((one) => {
    const node = nodeOf(nodes, one);
    if (!node) return [];
    return [...labelProblems(node, one), ...taintProblems(node, one)];
  });
}

function labelProblems({ metadata }: Node, { name, labels }: MarkedNode): Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const seen = metadata.labels?.[key];
    if (seen === value) return [];
    const wanted = `label ${key}=${value}`;
    return [{ subject: name, problem: seen === undefined ? `has no ${wanted}` : `has the label ${key}=${seen}, not ${value}` }];
  });
}

function taintProblems({ spec }: Node, { name, taints }: MarkedNode): Problem[] {
  return Object.entries(taints).flatMap(([key, text]) => {
    const wanted = { key, ...parsedTaint(text) };
    const isThere = (spec?.taints ?? []).some((taint) => taintText(taint) === taintText(wanted));
    return isThere ? [] : [{ subject: name, problem: `has no taint ${taintText(wanted)}` }];
  });
}

/** "value:Effect", ":Effect" or "Effect". */
function parsedTaint(text: string): Omit<Taint, "key"> {
  const colon = text.lastIndexOf(":");
  return { value: text.slice(0, Math.max(colon, 0)), effect: text.slice(colon + 1) };
}

/** A taint in kubectl's notation: "dedicated=gpu:NoSchedule". */
function taintText({ key, value, effect }: Taint): string {
  return `${key}${value ? `=${value}` : ""}:${effect}`;
}

/** The number of allocatable GPUs of a node. */
export function gpusOf(node: Node | undefined): number {
  return Number(node?.status?.allocatable?.[GPU_RESOURCE] ?? 0);
}

/** Checks that nodes with a GPU for containers have an allocatable one. */
export function gpuProblems(nodes: readonly Node[], expected: readonly ExpectedNode[]): Problem[] {
  return expected.flatMap((one) => {
    const node = nodeOf(nodes, one);
    if (!node || gpusOf(node) > 0) return [];
    const hint = `check that the card is passed through to the machine and that its driver is loaded:  talosctl -n ${one.ip} read /proc/driver/nvidia/version\nand that the device plugin runs:  kubectl get pods -A -o wide --field-selector spec.nodeName=${node.metadata.name}`;
    return [{ subject: one.name, problem: `has a GPU in the config, but Kubernetes sees no ${GPU_RESOURCE} there`, hint }];
  });
}
