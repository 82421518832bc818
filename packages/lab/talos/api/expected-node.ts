/** A node that should be part of the cluster. */
export interface Expected {
  address: string;
  role: "controlplane" | "worker";
}
