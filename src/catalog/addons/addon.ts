import type { Json } from "@talosmith/lib/json.ts";

/** A chart's values. */
export type Values = { readonly [key: string]: Json };

/** An object of a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [key: string]: Json | undefined | Manifest["metadata"];
}

/** The facts about the cluster that a preset uses. */
export interface ClusterFacts {
  readonly name: string;
  /** "v1.13.9" */
  readonly talos: string;
  /** "v1.36.3" */
  readonly kubernetes: string;
  readonly platform: string;
  readonly controlPlanes: number;
  readonly workers: number;
  /** Workers with a GPU for containers. */
  readonly gpuNodes: number;
  readonly scheduleOnControlPlanes: boolean;
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
  /** Set on Proxmox: the address of its API, and the hosts of the machines. */
  readonly proxmox?: { readonly url: string; readonly trusted: "system" | "other"; readonly hosts: readonly string[] };
}

/** A chart that Helm installs. */
export interface ReleasePart {
  readonly kind: "release";
  readonly name: string;
  readonly namespace: string;
  readonly chart: string;
  /** "https://charts.example.org" or "oci://registry/path", no trailing slash; the chart is below it. */
  readonly repository: string;
  /** Exactly one. */
  readonly version: string;
  readonly values: Values;
  /** Labels for the namespace, set before anything is installed into it. */
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** Paths of values that plans do not show: "auth.password". Includes all values written as references. */
  readonly secretPaths: readonly string[];
}

/** Objects that are applied as they are. */
export interface ObjectsPart {
  readonly kind: "objects";
  /** Unique within its addon: "sync". */
  readonly name: string;
  readonly objects: readonly Manifest[];
}

/** Objects of a remote file, downloaded by talosmith. */
export interface DownloadPart {
  readonly kind: "download";
  readonly name: string;
  readonly url: string;
  /** The expected SHA-256 of the file, in hex. */
  readonly sha256?: string;
}

/** A Secret with the environment's age key, which is generated when there is none. */
export interface AgeKeyPart {
  readonly kind: "age-key";
  readonly name: string;
  readonly secret: { readonly namespace: string; readonly name: string; readonly key: string };
}

export type AddonPart = ReleasePart | ObjectsPart | DownloadPart | AgeKeyPart;

/** The requirements of an addon on machines, met by the image and generate steps. */
export interface MachineWishes {
  /** System extensions: "siderolabs/iscsi-tools". */
  readonly extensions?: readonly string[];
  readonly kernelModules?: readonly string[];
  readonly sysctls?: Readonly<Record<string, string>>;
  /** Folders of the machine that kubelet passes to pods, with their mounts. */
  readonly kubeletMounts?: readonly string[];
  /** Kubelets request serving certificates from the cluster. */
  readonly kubeletCertificates?: true;
  readonly externalCloudProvider?: true;
  readonly talosApiAccess?: { readonly roles: readonly string[]; readonly namespaces: readonly string[] };
  /** Labels of every node. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The result of a preset: parts in order, each started when the previous one is up. */
export interface Addon {
  readonly parts: readonly AddonPart[];
  readonly machines: MachineWishes;
}

/** The options of every preset; each has further ones. */
export interface ChartOptions {
  readonly version?: string;
  readonly repository?: string;
  readonly namespace?: string;
  /** Values merged over the preset's own, by Helm's rules. */
  readonly values?: Values;
  /** The paths in `values` that were written as references. */
  readonly secretPaths?: readonly string[];
}

/** A chart we know how to set up on Talos. */
export interface Preset<Options extends ChartOptions> {
  /** The default repository of the chart. */
  readonly chart: Pick<ReleasePart, "name" | "namespace" | "chart" | "repository" | "version">;
  /** Pure: the same options and facts make the same addon. */
  make(options: Options, facts: ClusterFacts): Addon;
}
