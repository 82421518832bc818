import { createObject, quietly } from "../api/write.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { all, put, read, remove } from "../store/store.ts";
import { isFinished, isReady } from "./conditions.ts";
import { say } from "./events.ts";

const CLAIMS = builtin("persistentvolumeclaims");
const VOLUMES = builtin("persistentvolumes");
const CLASSES = builtin("storageclasses.storage.k8s.io");

/** Binds claims to new volumes when a provisioner of their class is running; deletes volumes with their claims. */
export function lookAfterClaims(cluster: SimulatedCluster): void {
  for (const claim of all(cluster, CLAIMS)) {
    if (claim.status?.phase === "Pending" && claim.metadata.deletionTimestamp === undefined) provide(cluster, claim);
  }
  for (const volume of all(cluster, VOLUMES)) {
    const { namespace, name, uid } = volume.spec.claimRef ?? {};
    if (name === undefined || read(cluster, CLAIMS, namespace, name)?.metadata.uid === uid) continue;
    if (volume.spec.persistentVolumeReclaimPolicy === "Delete") remove(cluster, VOLUMES, volume);
    else put(cluster, VOLUMES, { ...volume, status: { ...volume.status, phase: "Released" } });
  }
}

function provide(cluster: SimulatedCluster, claim: KubeObject) {
  const { storageClassName } = claim.spec;
  const tell = (type: "Normal" | "Warning", reason: string, message: string) => {
    const said = all(cluster, builtin("events"), claim.metadata.namespace).some(
      (event) => event.involvedObject?.uid === claim.metadata.uid && event.reason === reason,
    );
    if (!said) say(cluster, claim, { type, reason, message, component: "persistentvolume-controller" });
  };
  if (!storageClassName) {
    return tell("Normal", "FailedBinding", "no persistent volumes available for this claim and no storage class is set");
  }
  const itsClass = read(cluster, CLASSES, undefined, storageClassName);
  if (!itsClass) {
    return tell("Warning", "ProvisioningFailed", `storageclass.storage.k8s.io ${JSON.stringify(storageClassName)} not found`);
  }
  const consumer = consumerOf(cluster, claim);
  if (itsClass.volumeBindingMode === "WaitForFirstConsumer" && !consumer) {
    return tell("Normal", "WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  }
  const { provisioner } = itsClass;
  if (!isProvided(cluster, provisioner)) {
    const who = `external provisioner '${provisioner}'`;
    return tell(
      "Normal",
      "ExternalProvisioning",
      `Waiting for a volume to be created either by the ${who} or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    );
  }
  bind(cluster, claim, itsClass);
}

/** The pod that waits for the claim. */
function consumerOf(cluster: SimulatedCluster, { metadata }: KubeObject): KubeObject | undefined {
  return all(cluster, builtin("pods"), metadata.namespace).find(
    (pod) => !isFinished(pod) && claimsOf(pod).includes(metadata.name) && pod.metadata.deletionTimestamp === undefined,
  );
}

export function claimsOf({ spec }: KubeObject): string[] {
  return (spec.volumes ?? []).flatMap((volume: Loose) => volume.persistentVolumeClaim?.claimName ?? []);
}

/** Whether a provisioner is running: a CSI driver's pod has the provisioner's sidecar, others are named after what they provide. */
function isProvided(cluster: SimulatedCluster, provisioner: string): boolean {
  const driver = read(cluster, builtin("csidrivers.storage.k8s.io"), undefined, provisioner);
  const word = driver ? "csi-provisioner" : (provisioner.split("/").at(-1) ?? provisioner);
  return all(cluster, builtin("pods")).some(
    (pod) => isReady(pod) && pod.spec.containers.some(({ image }: Loose) => String(image).includes(word)),
  );
}

function bind(cluster: SimulatedCluster, claim: KubeObject, itsClass: KubeObject): void {
  const { metadata, spec } = claim;
  const name = `pvc-${metadata.uid}`;
  const capacity = { storage: spec.resources?.requests?.storage ?? "1Gi" };
  const claimRef = {
    kind: "PersistentVolumeClaim",
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    apiVersion: "v1",
    resourceVersion: metadata.resourceVersion,
  };
  const volume = createObject(
    cluster,
    VOLUMES,
    undefined,
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": itsClass.provisioner } },
      spec: {
        capacity,
        accessModes: spec.accessModes,
        claimRef,
        persistentVolumeReclaimPolicy: itsClass.reclaimPolicy ?? "Delete",
        storageClassName: itsClass.metadata.name,
        volumeMode: spec.volumeMode ?? "Filesystem",
        csi: { driver: itsClass.provisioner, volumeHandle: name },
      },
    },
    quietly(),
  );
  put(cluster, VOLUMES, { ...volume, status: { phase: "Bound" } });
  put(cluster, CLAIMS, {
    ...claim,
    spec: { ...spec, volumeName: name },
    status: { phase: "Bound", accessModes: spec.accessModes, capacity },
  });
}
