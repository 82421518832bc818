import { stringify } from "yaml";

/** The files of one chart in one version, without the chart's folder. */
export type ChartFiles = Readonly<Record<string, string>>;

export interface ChartVersion {
  version: string;
  /** Of the program inside, where it has a version of its own. */
  app: string;
}

/** A chart as the world knows it: its name, where it is found, and what it makes of which values. */
export interface LabChart {
  name: string;
  description: string;
  /** "https://charts.jetstack.io", "oci://quay.io/jetstack/charts". */
  homes: readonly string[];
  /** Newest first. */
  versions: readonly ChartVersion[];
  kubeVersion?: string;
  values(of: ChartVersion): object;
  /** Without Chart.yaml and values.yaml. */
  files(of: ChartVersion): ChartFiles;
}

export function chartFiles(chart: LabChart, of: ChartVersion): ChartFiles {
  const { name, description, kubeVersion } = chart;
  return {
    "Chart.yaml": stringify({
      apiVersion: "v2",
      name,
      description,
      type: "application",
      version: of.version,
      appVersion: of.app,
      ...(kubeVersion !== undefined && { kubeVersion }),
    }),
    "values.yaml": stringify(chart.values(of), { aliasDuplicateObjects: false }),
    ...chart.files(of),
  };
}
