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

/** The values that the committed examples of private networks share. */
export const HOMELAB: Omit<Answers, "endpoint"> = {
  name: "homelab",
  talos: "v1.13.9",
  cni: "flannel",
  cidr: "10.10.0.0/24",
  gateway: "10.10.0.1",
  nameservers: ["10.10.0.1"],
  controlPlane: "10.10.0.11",
  worker: "10.10.0.21",
  controlPlanes: 1,
  workers: 2,
};
