import type { Json } from "../../lib/json.ts";

export type Values = { readonly [key: string]: Json };

/** A chart that should be installed, and how. */
export interface HelmRelease {
  name: string;
  namespace: string;
  chart: string;
  /** "https://charts.example.org" or "oci://registry/path", no trailing slash; the chart is below it. */
  repository: string;
  /** Exactly one: "1.20.1". */
  version: string;
  values: Values;
  /** The image whose `helm` does it. */
  helmImage: string;
}
