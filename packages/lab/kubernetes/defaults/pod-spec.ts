import type { Loose } from "../objects.ts";

/** Sets the API server's default values; changes the spec in place. */
export function defaultPodSpec(spec: Loose): void {
  spec.restartPolicy ??= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= "ClusterFirst";
  spec.securityContext ??= {};
  spec.schedulerName ??= "default-scheduler";
  if (spec.serviceAccountName && !spec.serviceAccount) spec.serviceAccount = spec.serviceAccountName;
  if (spec.serviceAccount && !spec.serviceAccountName) spec.serviceAccountName = spec.serviceAccount;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    defaultContainer(container, spec.hostNetwork === true);
  }
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
}

function defaultContainer(container: Loose, hostNetwork: boolean): void {
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  container.resources ??= {};
  container.imagePullPolicy ??= isLatest(container.image ?? "") ? "Always" : "IfNotPresent";
  for (const port of container.ports ?? []) {
    port.protocol ??= "TCP";
    if (hostNetwork) port.hostPort ??= port.containerPort;
  }
  for (const variable of container.env ?? []) {
    const field = variable.valueFrom?.fieldRef;
    if (field) field.apiVersion ??= "v1";
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
}

function defaultProbe(probe: Loose): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  if (probe.httpGet) {
    probe.httpGet.path ??= "/";
    probe.httpGet.scheme ??= "HTTP";
  }
}

function defaultVolume(volume: Loose): void {
  const sources = Object.keys(volume).filter((key) => key !== "name");
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of [volume.secret, volume.configMap, volume.projected, volume.downwardAPI]) {
    if (source) source.defaultMode ??= 420;
  }
  if (volume.hostPath) volume.hostPath.type ??= "";
  for (const source of volume.projected?.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
  }
}

function isLatest(image: string): boolean {
  const last = image.slice(image.lastIndexOf("/") + 1);
  return !last.includes("@") && (!last.includes(":") || last.endsWith(":latest"));
}

/** The quality of service class of a pod, by its requests and limits. */
export function qosClass(spec: Loose): string {
  const containers: Loose[] = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const asks = containers.map(({ resources = {} }) => ({ requests: resources.requests ?? {}, limits: resources.limits ?? {} }));
  if (asks.every(({ requests, limits }) => Object.keys(requests).length + Object.keys(limits).length === 0)) return "BestEffort";
  const guaranteed = asks.every(({ requests, limits }) =>
    ["cpu", "memory"].every((what) => limits[what] !== undefined && (requests[what] ?? limits[what]) === limits[what]),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}
