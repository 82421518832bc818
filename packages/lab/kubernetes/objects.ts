/**
 * Any JSON value. Objects of all kinds have this type, custom ones included, and each reader knows the few fields it uses: types for all of
 * Kubernetes would be longer than the rest of the lab.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Loose = any;

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface Meta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFields[];
}

export interface ManagedFields {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time?: string;
  fieldsType: "FieldsV1";
  fieldsV1: Loose;
  subresource?: string;
}

/** A stored object. It is never changed in place but replaced, so that history and watches can share it. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Meta;
  spec?: Loose;
  status?: Loose;
  [field: string]: Loose;
}

/** An object to store; the server fills in the rest. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: Partial<Meta>;
  [field: string]: Loose;
}
