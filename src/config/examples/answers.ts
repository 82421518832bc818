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

export interface ProxmoxAnswers extends Answers {
  url: string;
  /** Of the certificate; undefined when this computer trusts it anyway. */
  fingerprint: string | undefined;
  token: string;
  hosts: readonly string[];
  disks: string;
  images: string;
  bridge: string;
}

export interface MetalAnswers extends Answers {
  installDisk: string;
  /** Network cards of the control planes; needed when the endpoint floats between them. */
  macs: readonly string[];
}
