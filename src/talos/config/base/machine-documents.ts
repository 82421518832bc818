import type { RegistryConfig } from "../../../config/config.ts";
import type { ClusterInput } from "../cluster-input.ts";
import type { ConfigDocument } from "../document.ts";
import { documentOf } from "./document-of.ts";
import { kubeSpan } from "./kube-span.ts";
import { proxyVariables } from "./proxy-variables.ts";

/** Documents that every contract has, for machines of either role. */
export function machineDocuments(input: ClusterInput): ConfigDocument[] {
  return [
    ...registryDocuments(input.registries),
    documentOf("HostnameConfig", { auto: "stable" }),
    ...sinceTalos113(input),
    ...timeSync(input.network.timeServers),
  ];
}

/** Before, these are in the original format. */
function sinceTalos113(input: ClusterInput): ConfigDocument[] {
  if (input.contract === "v1.12") return [];
  const variables = proxyVariables(input);
  return [
    ...(input.kubespan ? [documentOf("KubeSpanConfig", kubeSpan(input))] : []),
    ...(variables ? [documentOf("EnvironmentConfig", { variables })] : []),
  ];
}

function timeSync(servers: readonly string[]): ConfigDocument[] {
  return servers.length === 0 ? [] : [documentOf("TimeSyncConfig", { ntp: { servers } })];
}

/** Documents of registries, sorted by kind and name like talosctl's. */
function registryDocuments(registries: readonly RegistryConfig[]): ConfigDocument[] {
  const sorted = [...registries].sort((one, other) => (one.host < other.host ? -1 : 1));
  return [registryAuth, registryMirror, registryTls].flatMap((document) => sorted.flatMap(document));
}

function registryAuth({ host, username, password }: RegistryConfig): ConfigDocument[] {
  if (username === undefined && password === undefined) return [];
  const body = { ...(username !== undefined && { username }), ...(password && { password: password.reveal() }) };
  return [documentOf("RegistryAuthConfig", { name: host, ...body })];
}

function registryMirror({ host, mirrors, overridePath, skipFallback }: RegistryConfig): ConfigDocument[] {
  if (mirrors.length === 0 && !skipFallback) return [];
  const endpoints = mirrors.map((url) => ({ url, ...(overridePath && { overridePath }) }));
  return [documentOf("RegistryMirrorConfig", { name: host, endpoints, ...(skipFallback && { skipFallback }) })];
}

function registryTls({ host, ca, insecure }: RegistryConfig): ConfigDocument[] {
  if (ca === undefined && !insecure) return [];
  const body = { ...(ca !== undefined && { ca }), ...(insecure && { insecureSkipVerify: true }) };
  return [documentOf("RegistryTLSConfig", { name: host, ...body })];
}
