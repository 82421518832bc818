import type { AddonPart } from "../catalog/addons/addon.ts";

export interface AddonsConfig {
  /** The image whose `helm` installs releases from inside the cluster. */
  readonly helmImage: string;
  /** In the order of their tiers, and within one in the order of the config reference. */
  readonly all: readonly AddonConfig[];
}

/** The order of addons: each tier begins when everything in the previous one is up. Nodes become Ready after the network. */
export const TIERS = ["network", "secrets", "presets", "manifests", "charts", "gitops"] as const;
export type Tier = (typeof TIERS)[number];

export interface AddonConfig {
  /** Unique: "cilium", "longhorn", a chart's release name, "manifests-1", "secrets". */
  readonly name: string;
  readonly tier: Tier;
  /** In their order, each begun when the one before is up. */
  readonly parts: readonly AddonPart[];
  /** System extensions without which it does not work on a node: "siderolabs/iscsi-tools". */
  readonly extensions?: readonly string[];
  /** Where it stands in the config: env.where(path) leads there. */
  readonly path: readonly (string | number)[];
}

/** Settings of the tests that `verify` runs in the cluster. */
export interface VerifyConfig {
  /** False: no pods are made. */
  readonly smoke: boolean;
  /** Image of the pods that try the network: it has curl, nslookup and agnhost's web server. */
  readonly image: string;
  /** Image of the pod that tries a GPU: it has nothing but a C library; nvidia-smi comes with the driver. */
  readonly gpuImage: string;
}
