/** The placeholder for a value that the user has to fill in. */
export const BLANK = "REPLACE_ME";

/** The values of an example that depend on the environment. */
export interface Answers {
  name: string;
  talos: string;
  endpoint: string;
  cni: "flannel" | "cilium" | "none";
  cidr: string;
  gateway: string;
  nameservers: readonly string[];
  /** Addresses of the first of each. */
  controlPlane: string;
  worker: string;
  controlPlanes: number;
  workers: number;
}
