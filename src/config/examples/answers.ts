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

export interface VpsAnswers extends Pick<Answers, "name" | "talos" | "endpoint" | "cni" | "nameservers"> {
  /** Absent when the servers' addresses have their own prefix lengths. */
  cidr: string | undefined;
  gateway: string;
  /** Networks people work from. */
  admin: readonly string[];
  provider: string | undefined;
  servers: readonly VpsServer[];
}

export interface VpsServer {
  name: string;
  role: "controlplane" | "worker";
  /** Maybe with its prefix length. */
  ip: string;
  /** Of its rescue system; undefined when nobody saw it. */
  hostKey: string | undefined;
  /** Of the disk that is overwritten. */
  serial: string | undefined;
}
