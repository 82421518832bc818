import type { Loose, Manifest } from "../objects.ts";
import type { Converter } from "./resource.ts";

/** Annotations in which autoscaling/v1 keeps v2 fields. */
const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
const CURRENT = "autoscaling.alpha.kubernetes.io/current-metrics";

const isCpu = (metric: Loose) =>
  metric?.type === "Resource" && metric.resource?.name === "cpu" && metric.resource.target?.averageUtilization !== undefined;
const isCpuStatus = (metric: Loose) =>
  metric?.type === "Resource" && metric.resource?.name === "cpu" && metric.resource.current?.averageUtilization !== undefined;

/** HorizontalPodAutoscaler: stored as autoscaling/v2, also served as autoscaling/v1, which has a single metric. */
export const autoscalerV1: Converter = {
  shown: (stored) => {
    const { metrics = [], behavior, ...spec } = stored.spec ?? {};
    const { conditions = [], currentMetrics, ...status } = stored.status ?? {};
    const cpu = metrics.find(isCpu);
    const current = (currentMetrics ?? []).find(isCpuStatus);
    const notes = noted({
      [METRICS]: metrics.filter((metric: Loose) => metric !== cpu),
      [BEHAVIOR]: behavior,
      [CONDITIONS]: conditions,
      [CURRENT]: currentMetrics ?? [],
    });
    return {
      ...stored,
      apiVersion: "autoscaling/v1",
      metadata: withAnnotations(stored.metadata, { ...stored.metadata.annotations, ...notes }),
      spec: { ...spec, ...(cpu && { targetCPUUtilizationPercentage: cpu.resource.target.averageUtilization }) },
      ...(stored.status && {
        status: {
          currentReplicas: 0,
          desiredReplicas: 0,
          ...status,
          ...(current && { currentCPUUtilizationPercentage: current.resource.current.averageUtilization }),
        },
      }),
    };
  },
  stored: (given) => {
    const { targetCPUUtilizationPercentage: percent, ...spec } = given.spec ?? {};
    const { currentCPUUtilizationPercentage: _, ...status } = given.status ?? {};
    const {
      [METRICS]: others,
      [BEHAVIOR]: behavior,
      [CONDITIONS]: conditions,
      [CURRENT]: current,
      ...annotations
    } = given.metadata.annotations ?? {};
    const metrics = [
      ...(percent === undefined ? [] : [{ type: "Resource", resource: { name: "cpu", target: utilization(percent) } }]),
      ...(read(others) ?? []),
    ];
    return {
      ...given,
      apiVersion: "autoscaling/v2",
      metadata: withAnnotations(given.metadata, annotations),
      ...(given.spec && {
        spec: { ...spec, ...(metrics.length > 0 && { metrics }), ...(behavior !== undefined && { behavior: read(behavior) }) },
      }),
      ...(given.status && {
        status: {
          ...status,
          ...(conditions !== undefined && { conditions: read(conditions) }),
          ...(current !== undefined && { currentMetrics: read(current) }),
        },
      }),
    };
  },
};

export const utilization = (percent: number) => ({ type: "Utilization", averageUtilization: percent });

function noted(values: Record<string, Loose>): Record<string, string> {
  const said = Object.entries(values).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0));
  return Object.fromEntries(said.map(([key, value]) => [key, JSON.stringify(value)]));
}

function withAnnotations<M extends Manifest["metadata"]>(metadata: M, annotations: Record<string, string>): M {
  const { annotations: _, ...rest } = metadata;
  return { ...rest, ...(Object.keys(annotations).length > 0 && { annotations }) } as M;
}

/** Parses an annotation, which other clients may have written. */
function read(text: string | undefined): Loose {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
