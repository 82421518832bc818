/** What stands where a person has to put something. */
export const BLANK = "REPLACE_ME";

/** What differs from one environment to the next. */
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
