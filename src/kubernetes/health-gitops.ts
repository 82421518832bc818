import type { KubernetesObject, StatusCondition } from "./objects.ts";

/* Does what GitOps controllers follow arrive in the cluster? Functions over what was listed, as in health.ts. */

/** The kinds whose objects show the sync state of Flux and Argo CD. */
export const GITOPS_KINDS = [
  { apiVersion: "source.toolkit.fluxcd.io/v1", kind: "GitRepository" },
  { apiVersion: "kustomize.toolkit.fluxcd.io/v1", kind: "Kustomization" },
  { apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease" },
  { apiVersion: "argoproj.io/v1alpha1", kind: "Application" },
] as const;

export interface Synced extends KubernetesObject {
  spec?: { suspend?: boolean };
  status?: {
    conditions?: StatusCondition[];
    /** An Application of Argo CD. */
    sync?: { status?: string };
    health?: { status?: string; message?: string };
    operationState?: { phase?: string; message?: string };
  };
}

/** The reason why an object differs from its repository, as the end of a sentence; undefined when it does not. */
export function syncProblem(object: Synced): string | undefined {
  if (object.spec?.suspend === true) return "is suspended: nothing new arrives";
  return object.kind === "Application" ? argoProblem(object) : fluxProblem(object);
}

/** Whether its controller is applying it right now. */
export function isSyncing({ status }: Synced): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "Unknown" || status?.operationState?.phase === "Running" || status?.health?.status === "Progressing";
}

function fluxProblem({ status }: Synced): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return undefined;
  if (!ready) return "has no status yet: check that its controller runs";
  return `is not Ready: ${ready.message ?? ready.reason ?? "no reason given"}`;
}

/** Acceptable states: Progressing is temporary, Suspended is intended. */
const FINE = new Set(["Healthy", "Suspended", undefined]);

function argoProblem({ status }: Synced): string | undefined {
  const error = status?.conditions?.find(({ type }) => type.endsWith("Error"));
  if (error) return `has ${error.type}: ${error.message ?? "no reason given"}`;
  const sync = status?.sync?.status;
  if (sync === undefined) return "has no status yet: check that its controller runs";
  const failed = status?.operationState?.phase === "Failed" || status?.operationState?.phase === "Error";
  if (sync !== "Synced") return `is ${sync}${failed ? `: ${status?.operationState?.message ?? "its last sync failed"}` : ""}`;
  const { status: health, message } = status?.health ?? {};
  return FINE.has(health) ? undefined : `is ${health}${message ? `: ${message}` : ""}`;
}
