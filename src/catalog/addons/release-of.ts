import type { ChartOptions, Preset, ReleasePart, Values } from "./addon.ts";
import { mergeValues } from "./merge-values.ts";
import { namespaceLabels } from "./pod-security.ts";

interface Told {
  readonly chart: Preset<ChartOptions>["chart"];
  readonly options: ChartOptions;
  readonly values?: Values;
  /** Its pods need host paths, host network or capabilities, which Talos forbids by default. */
  readonly privileged?: boolean;
}

/** A preset's release, with the user's options merged over the preset's. */
export function releaseOf({ chart, options, values = {}, privileged = false }: Told): ReleasePart {
  const namespace = options.namespace ?? chart.namespace;
  return {
    kind: "release",
    name: chart.name,
    namespace,
    chart: chart.chart,
    repository: options.repository ?? chart.repository,
    version: options.version ?? chart.version,
    values: mergeValues(values, options.values ?? {}),
    namespaceLabels: namespaceLabels(namespace, privileged),
    secretPaths: options.secretPaths ?? [],
  };
}
