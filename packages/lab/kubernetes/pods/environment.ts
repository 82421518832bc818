import { issueToken } from "../access/token.ts";
import type { SimulatedCluster } from "../cluster.ts";
import { serviceAddress } from "../defaults/services.ts";
import { contentHash } from "../identity.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { builtin } from "../resources/catalogue.ts";
import { read } from "../store/store.ts";

/** An object that a container needs does not exist (yet). */
export class Missing extends Error {}

/** The variables of a container, with references resolved and `$(NAME)` replaced. */
export function environmentOf(cluster: SimulatedCluster, pod: KubeObject, container: Loose): Record<string, string> {
  const env: Record<string, string> = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOSTNAME: pod.spec.hostNetwork ? pod.spec.nodeName : pod.metadata.name,
    KUBERNETES_SERVICE_HOST: serviceAddress(cluster.settings.serviceSubnets, 1),
    KUBERNETES_SERVICE_PORT: "443",
    KUBERNETES_SERVICE_PORT_HTTPS: "443",
    ...gpusOf(cluster, pod, container),
  };
  for (const from of container.envFrom ?? []) Object.assign(env, allOf(cluster, pod, from));
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom ? referred(cluster, pod, variable.valueFrom) : expand(variable.value ?? "", env);
    if (value !== undefined) env[variable.name] = value;
  }
  return env;
}

/**
 * Variables that NVIDIA's device plugin gives a container with GPUs; up to Talos 1.12 only NVIDIA's runtime understands them
 * (docs/facts/talos.md#nvidia).
 */
function gpusOf({ nodes }: SimulatedCluster, { metadata, spec }: KubeObject, container: Loose): Record<string, string> {
  const talos = nodes.find(({ name }) => name === spec.nodeName)?.talos ?? "";
  if (/^v1\.\d[.]|^v1\.1[0-2]\./.test(talos) && spec.runtimeClassName !== "nvidia") return {};
  const count = Number(container.resources?.limits?.["nvidia.com/gpu"] ?? 0);
  const ids = Array.from({ length: count }, (_, n) => `GPU-${contentHash(`${spec.nodeName} ${metadata.uid} ${n}`, 8)}`);
  return count > 0 ? { NVIDIA_VISIBLE_DEVICES: ids.join(",") } : {};
}

export function expand(text: string, env: Record<string, string>): string {
  return text.replace(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g, (whole, name?: string) =>
    name === undefined ? "$" : (env[name] ?? whole),
  );
}

function allOf(cluster: SimulatedCluster, pod: KubeObject, from: Loose): Record<string, string> {
  const prefix = from.prefix ?? "";
  const source = from.secretRef ? secretOf(cluster, pod, from.secretRef) : configMapOf(cluster, pod, from.configMapRef ?? {});
  return Object.fromEntries(Object.entries(source ?? {}).map(([key, value]) => [`${prefix}${key}`, value]));
}

function referred(cluster: SimulatedCluster, pod: KubeObject, from: Loose): string | undefined {
  if (from.fieldRef) return fieldOf(pod, from.fieldRef.fieldPath);
  if (from.resourceFieldRef) return from.resourceFieldRef.resource?.endsWith("cpu") ? "1" : "0";
  const ref = from.secretKeyRef ?? from.configMapKeyRef;
  if (!ref) return undefined;
  const source = from.secretKeyRef ? secretOf(cluster, pod, ref) : configMapOf(cluster, pod, ref);
  const value = source?.[ref.key];
  if (value === undefined && source && !ref.optional) {
    const kind = from.secretKeyRef ? "Secret" : "ConfigMap";
    throw new Missing(`couldn't find key ${ref.key} in ${kind} ${pod.metadata.namespace}/${ref.name}`);
  }
  return value;
}

export function fieldOf({ metadata, spec, status }: KubeObject, path: string): string {
  const [, map, key = ""] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  if (map === "labels" || map === "annotations") return metadata[map]?.[key] ?? "";
  const known: Record<string, string | undefined> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": spec.nodeName,
    "spec.serviceAccountName": spec.serviceAccountName,
    "status.podIP": status?.podIP,
    "status.podIPs": status?.podIP,
    "status.hostIP": status?.hostIP,
  };
  return known[path] ?? "";
}

function secretOf(cluster: SimulatedCluster, { metadata }: KubeObject, ref: Loose): Record<string, string> | undefined {
  const found = read(cluster, builtin("secrets"), metadata.namespace, ref.name ?? ref.secretName);
  if (!found && !ref.optional) throw new Missing(`secret ${JSON.stringify(ref.name ?? ref.secretName)} not found`);
  const entries = Object.entries((found?.data ?? {}) as Record<string, string>);
  return found && Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]));
}

function configMapOf(cluster: SimulatedCluster, { metadata }: KubeObject, ref: Loose): Record<string, string> | undefined {
  const found = read(cluster, builtin("configmaps"), metadata.namespace, ref.name);
  if (!found && !ref.optional) throw new Missing(`configmap ${JSON.stringify(ref.name)} not found`);
  return found && { ...found.data };
}

/** The files of a container's volumes, by path. */
export function filesOf(cluster: SimulatedCluster, pod: KubeObject, container: Loose): Record<string, string> {
  const volumes = new Map<string, Loose>((pod.spec.volumes ?? []).map((volume: Loose) => [volume.name, volume]));
  const files: Record<string, string> = {};
  for (const mount of container.volumeMounts ?? []) {
    const content = volumeFiles(cluster, pod, volumes.get(mount.name) ?? {});
    for (const [name, text] of Object.entries(content)) {
      if (mount.subPath === undefined) files[`${mount.mountPath.replace(/\/$/, "")}/${name}`] = text;
      else if (mount.subPath === name) files[mount.mountPath] = text;
    }
  }
  return files;
}

function volumeFiles(cluster: SimulatedCluster, pod: KubeObject, volume: Loose): Record<string, string> {
  if (volume.secret)
    return picked(secretOf(cluster, pod, { ...volume.secret, name: volume.secret.secretName }), volume.secret.items);
  if (volume.configMap) return picked(configMapOf(cluster, pod, volume.configMap), volume.configMap.items);
  if (volume.downwardAPI) return downward(pod, volume.downwardAPI);
  if (volume.hostPath) return hostFiles(cluster, pod, volume.hostPath.path);
  const files: Record<string, string> = {};
  for (const source of volume.projected?.sources ?? []) {
    if (source.secret) Object.assign(files, picked(secretOf(cluster, pod, source.secret), source.secret.items));
    if (source.configMap) Object.assign(files, picked(configMapOf(cluster, pod, source.configMap), source.configMap.items));
    if (source.downwardAPI) Object.assign(files, downward(pod, source.downwardAPI));
    if (source.serviceAccountToken) files[source.serviceAccountToken.path] = tokenOf(cluster, pod, source.serviceAccountToken);
  }
  return files;
}

/** The machine's files that a pod sees below a path. */
function hostFiles(cluster: SimulatedCluster, { spec }: KubeObject, path: string): Record<string, string> {
  const files = cluster.nodes.find(({ name }) => name === spec.nodeName)?.files ?? {};
  const folder = `${path.replace(/\/+$/, "")}/`;
  return Object.fromEntries(
    Object.entries(files).flatMap(([file, text]) => (file.startsWith(folder) ? [[file.slice(folder.length), text]] : [])),
  );
}

function picked(content: Record<string, string> | undefined, items: Loose[] | undefined): Record<string, string> {
  if (!content) return {};
  if (!items) return content;
  return Object.fromEntries(
    items.map(({ key, path }) => {
      const value = content[key];
      if (value === undefined) throw new Missing(`references non-existent config key: ${key}`);
      return [path, value];
    }),
  );
}

function downward(pod: KubeObject, source: Loose): Record<string, string> {
  return Object.fromEntries(
    (source.items ?? []).map(({ path, fieldRef }: Loose) => [path, fieldRef ? fieldOf(pod, fieldRef.fieldPath) : ""]),
  );
}

function tokenOf(cluster: SimulatedCluster, { metadata, spec }: KubeObject, wanted: Loose): string {
  const account = read(cluster, builtin("serviceaccounts"), metadata.namespace, spec.serviceAccountName ?? "default");
  if (!account) throw new Missing(`serviceaccount ${JSON.stringify(spec.serviceAccountName)} not found`);
  return issueToken(cluster, {
    namespace: metadata.namespace ?? "",
    serviceAccount: { name: account.metadata.name, uid: account.metadata.uid },
    pod: { name: metadata.name, uid: metadata.uid },
    ...(wanted.audience && { audiences: [wanted.audience] }),
    seconds: wanted.expirationSeconds ?? 3600,
  });
}
