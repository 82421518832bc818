import type { Loose } from "../objects.ts";

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/, with the words of the admission plugin. */

const CAPABILITIES = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split(" "),
);
const SAFE_SYSCTLS = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
]);
const RESTRICTED_VOLUMES = new Set([
  "name",
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

export function baselineProblems(metadata: Loose, spec: Loose): string[] {
  const containers = containersOf(spec);
  return [
    ...hostNamespaces(spec),
    ...of(
      containers,
      (it) => it.securityContext?.privileged === true,
      "privileged",
      "must not set securityContext.privileged=true",
    ),
    ...capabilities(containers),
    ...hostPaths(spec),
    ...hostPorts(containers),
    ...appArmor(metadata),
    ...of(
      containers,
      (it) => !["", "Default", undefined].includes(it.securityContext?.procMount),
      "procMount",
      "must not set securityContext.procMount",
    ),
    ...seccompUnconfined(spec, containers),
    ...sysctls(spec),
  ];
}

export function restrictedProblems(spec: Loose): string[] {
  const containers = containersOf(spec);
  const pod = spec.securityContext ?? {};
  const windows = spec.os?.name === "windows";
  return [
    ...of(
      containers,
      (it) => it.securityContext?.allowPrivilegeEscalation !== false,
      "allowPrivilegeEscalation != false",
      "must set securityContext.allowPrivilegeEscalation=false",
    ),
    ...of(
      containers,
      (it) => !(it.securityContext?.capabilities?.drop ?? []).includes("ALL"),
      "unrestricted capabilities",
      'must set securityContext.capabilities.drop=["ALL"]',
    ),
    ...restrictedVolumes(spec),
    ...forPodOrContainers(
      containers,
      pod.runAsNonRoot === true,
      (it) => it.securityContext?.runAsNonRoot === true,
      (it) => it.securityContext?.runAsNonRoot === undefined,
      "runAsNonRoot != true",
      "must set securityContext.runAsNonRoot=true",
    ),
    ...(pod.runAsUser === 0 ? ["runAsUser=0 (pod must not set runAsUser=0)"] : []),
    ...of(containers, (it) => it.securityContext?.runAsUser === 0, "runAsUser=0", "must not set runAsUser=0"),
    ...(windows
      ? []
      : forPodOrContainers(
          containers,
          isConfined(pod.seccompProfile),
          (it) => isConfined(it.securityContext?.seccompProfile),
          (it) => it.securityContext?.seccompProfile === undefined,
          "seccompProfile",
          'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
        )),
  ];
}

function containersOf(spec: Loose): Loose[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

/** `container "a"`, `containers "a", "b"` */
function named(containers: readonly Loose[]): string {
  const names = containers.map(({ name }) => JSON.stringify(name)).join(", ");
  return containers.length === 1 ? `container ${names}` : `containers ${names}`;
}

function of(containers: readonly Loose[], bad: (container: Loose) => boolean, title: string, must: string): string[] {
  const found = containers.filter(bad);
  return found.length === 0 ? [] : [`${title} (${named(found)} ${must})`];
}

function hostNamespaces(spec: Loose): string[] {
  const set = ["hostNetwork", "hostPID", "hostIPC"].filter((field) => spec?.[field] === true).map((field) => `${field}=true`);
  return set.length === 0 ? [] : [`host namespaces (${set.join(", ")})`];
}

function capabilities(containers: readonly Loose[]): string[] {
  const added = (container: Loose): string[] =>
    (container.securityContext?.capabilities?.add ?? []).filter((name: string) => !CAPABILITIES.has(name));
  const found = containers.filter((container) => added(container).length > 0);
  if (found.length === 0) return [];
  const names = [...new Set(found.flatMap(added))].sort().map((name) => JSON.stringify(name));
  const verb = "must not include";
  return [`non-default capabilities (${named(found)} ${verb} ${names.join(", ")} in securityContext.capabilities.add)`];
}

function hostPaths(spec: Loose): string[] {
  const found: Loose[] = (spec?.volumes ?? []).filter((volume: Loose) => volume.hostPath);
  if (found.length === 0) return [];
  const names = found.map(({ name }) => JSON.stringify(name)).join(", ");
  return [`hostPath volumes (${found.length === 1 ? "volume" : "volumes"} ${names})`];
}

function hostPorts(containers: readonly Loose[]): string[] {
  const ports = (container: Loose): number[] =>
    (container.ports ?? []).map((port: Loose) => port.hostPort).filter((port: number | undefined) => port);
  const found = containers.filter((container) => ports(container).length > 0);
  if (found.length === 0) return [];
  const all = [...new Set(found.flatMap(ports))];
  const word = all.length === 1 ? "hostPort" : "hostPorts";
  return [`hostPort (${named(found)} ${found.length === 1 ? "uses" : "use"} ${word} ${all.join(", ")})`];
}

function appArmor(metadata: Loose): string[] {
  const bad = Object.entries((metadata?.annotations ?? {}) as Record<string, string>)
    .filter(([key]) => key.startsWith("container.apparmor.security.beta.kubernetes.io/"))
    .filter(([, value]) => value !== "" && value !== "runtime/default" && !value.startsWith("localhost/"))
    .map(([key, value]) => `annotation ${JSON.stringify(`${key}`)}=${JSON.stringify(value)}`);
  return bad.length === 0 ? [] : [`forbidden AppArmor profile (${bad.join(", ")})`];
}

function seccompUnconfined(spec: Loose, containers: readonly Loose[]): string[] {
  const pod = spec?.securityContext?.seccompProfile?.type === "Unconfined";
  const found = containers.filter((container) => container.securityContext?.seccompProfile?.type === "Unconfined");
  if (!pod && found.length === 0) return [];
  const who = [...(pod ? ["pod"] : []), ...(found.length > 0 ? [named(found)] : [])].join(" and ");
  return [`seccompProfile (${who} must not set securityContext.seccompProfile.type to "Unconfined")`];
}

function sysctls(spec: Loose): string[] {
  const bad = (spec?.securityContext?.sysctls ?? [])
    .map(({ name }: Loose) => name)
    .filter((name: string) => !SAFE_SYSCTLS.has(name));
  return bad.length === 0 ? [] : [`forbidden sysctls (${bad.join(", ")})`];
}

function restrictedVolumes(spec: Loose): string[] {
  const found: Loose[] = (spec?.volumes ?? []).filter((volume: Loose) =>
    Object.keys(volume).some((key) => !RESTRICTED_VOLUMES.has(key)),
  );
  if (found.length === 0) return [];
  const names = found.map(({ name }) => JSON.stringify(name)).join(", ");
  const types = [...new Set(found.flatMap((volume) => Object.keys(volume).filter((key) => !RESTRICTED_VOLUMES.has(key))))];
  const list = types.map((type) => JSON.stringify(type)).join(", ");
  const who = found.length === 1 ? `volume ${names} uses` : `volumes ${names} use`;
  return [`restricted volume types (${who} restricted volume ${types.length === 1 ? "type" : "types"} ${list})`];
}

function isConfined(profile: Loose): boolean {
  return profile?.type === "RuntimeDefault" || profile?.type === "Localhost";
}

function forPodOrContainers(
  containers: readonly Loose[],
  podIsGood: boolean,
  good: (container: Loose) => boolean,
  unset: (container: Loose) => boolean,
  title: string,
  must: string,
): string[] {
  const bad = containers.filter((container) => !good(container) && !(podIsGood && unset(container)));
  if (bad.length === 0) return [];
  const who = podIsGood ? named(bad) : `pod or ${named(bad)}`;
  return [`${title} (${who} ${must})`];
}
