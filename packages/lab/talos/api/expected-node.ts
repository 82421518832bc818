/** A node that should be in the cluster. */
export interface Expected {
  address: string;
  role: "controlplane" | "worker";
}
