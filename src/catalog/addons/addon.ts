import type { Json } from "@talosmith/lib/json.ts";

/** A chart's values. */
export type Values = { readonly [key: string]: Json };

/** An object as it is written in a manifest. */
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

/** What a preset may know of the cluster it goes into. */
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
  /** There on Proxmox: what its API is called by, and the hosts machines are on. */
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
  /** Put on the namespace before anything is installed into it. */
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** Paths of values that no plan shows: "auth.password". Everything that was written as a reference is among them. */
  readonly secretPaths: readonly string[];
}

/** Objects that are applied as they are. */
export interface ObjectsPart {
  readonly kind: "objects";
  /** Unique within its addon: "sync". */
  readonly name: string;
  readonly objects: readonly Manifest[];
}

/** Objects of a file somewhere else, fetched from here. */
export interface DownloadPart {
  readonly kind: "download";
  readonly name: string;
  readonly url: string;
  /** What the file must hash to, in hex. */
  readonly sha256?: string;
}

/** A Secret with the environment's age key, which is made when there is none. */
export interface AgeKeyPart {
  readonly kind: "age-key";
  readonly name: string;
  readonly secret: { readonly namespace: string; readonly name: string; readonly key: string };
}

export type AddonPart = ReleasePart | ObjectsPart | DownloadPart | AgeKeyPart;

/** What an addon needs of the machines it runs on; image and generate see to it. */
export interface MachineWishes {
  /** System extensions: "siderolabs/iscsi-tools". */
  readonly extensions?: readonly string[];
  readonly kernelModules?: readonly string[];
  readonly sysctls?: Readonly<Record<string, string>>;
  /** Folders of the machine that kubelet passes on to pods, with what is mounted in them. */
  readonly kubeletMounts?: readonly string[];
  /** Kubelets ask the cluster for their serving certificates. */
  readonly kubeletCertificates?: true;
  readonly externalCloudProvider?: true;
  readonly talosApiAccess?: { readonly roles: readonly string[]; readonly namespaces: readonly string[] };
  /** Labels of every node. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** What a preset comes to: parts in their order, each begun when the one before is up. */
export interface Addon {
  readonly parts: readonly AddonPart[];
  readonly machines: MachineWishes;
}

/** What every preset can be told; each has words of its own besides. */
export interface ChartOptions {
  readonly version?: string;
  readonly repository?: string;
  readonly namespace?: string;
  /** Laid over the preset's own, as Helm lays them. */
  readonly values?: Values;
  /** Which of `values` were written as references. */
  readonly secretPaths?: readonly string[];
}

/** A chart we know how to set up on Talos. */
export interface Preset<Options extends ChartOptions> {
  /** Where it comes from unless told otherwise. */
  readonly chart: Pick<ReleasePart, "name" | "namespace" | "chart" | "repository" | "version">;
  /** Pure: the same options and facts make the same addon. */
  make(options: Options, facts: ClusterFacts): Addon;
}
