import type { KubernetesClient } from "./client/kubernetes-client.ts";
import type { KubernetesObject } from "./objects.ts";

const HOSTNAME = "kubernetes.io/hostname";

interface PersistentVolume extends KubernetesObject {
  spec?: {
    local?: object;
    hostPath?: object;
    claimRef?: { namespace?: string; name?: string };
    nodeAffinity?: { required?: { nodeSelectorTerms?: { matchExpressions?: Expression[] }[] } };
  };
  status?: { phase?: string };
}

interface Expression {
  key: string;
  operator: string;
  values?: string[];
}

/** Claimed volumes on a disk or folder of this node only: "default/data-0 (pv-1)". */
export async function localVolumesOn(kube: KubernetesClient, node: string, signal: AbortSignal): Promise<string[]> {
  const volumes = await kube.list<PersistentVolume>({ apiVersion: "v1", kind: "PersistentVolume" }, signal);
  return volumes.filter((volume) => isLocal(volume) && isOnlyOn(volume, node)).map(volumeWords);
}

/** A released volume has data that its owner wanted to keep. */
const isLocal = ({ spec, status }: PersistentVolume) =>
  (spec?.local !== undefined || spec?.hostPath !== undefined) && status?.phase !== "Available" && status?.phase !== "Pending";

function isOnlyOn({ spec }: PersistentVolume, node: string): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const isOfNode = ({ key, operator, values = [] }: Expression) =>
    key === HOSTNAME && operator === "In" && values.length === 1 && values[0] === node;
  return terms.length > 0 && terms.every(({ matchExpressions = [] }) => matchExpressions.some(isOfNode));
}

function volumeWords({ metadata, spec }: PersistentVolume): string {
  const { namespace = "default", name } = spec?.claimRef ?? {};
  return name === undefined ? metadata.name : `${namespace}/${name} (${metadata.name})`;
}
