import type { Loose } from "../objects.ts";
import { named, plural, quoted, withoutPod, withPod } from "./wording.ts";

/**
 * The Pod Security Standards with the messages of the admission plugin, k8s.io/pod-security-admission v0.34: a pod's violations in the plugin's
 * order, which is that of its checks' names.
 */

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
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
]);
const SELINUX_TYPES = [undefined, "", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];
const PLAIN_VOLUMES = "name configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret image".split(" ");

type PodRule = (metadata: Loose, spec: Loose, containers: readonly Loose[]) => string[];

const context = (container: Loose): Loose => container.securityContext ?? {};

/** One message for all containers that violate a rule. */
function broken(containers: readonly Loose[], bad: (container: Loose) => boolean, title: string, must: string): string[] {
  const found = containers.filter(bad);
  return found.length === 0 ? [] : [`${title} (${named(found)} ${must})`];
}

/** Capabilities that containers add beyond the allowed ones. */
function added(containers: readonly Loose[], allowed: (name: string) => boolean): string | undefined {
  const beyond = (container: Loose): string[] =>
    (context(container).capabilities?.add ?? []).filter((name: string) => !allowed(name));
  const found = containers.filter((container) => beyond(container).length > 0);
  if (found.length === 0) return undefined;
  return `${named(found)} must not include ${quoted([...new Set(found.flatMap(beyond))].sort())} in securityContext.capabilities.add`;
}

const hostNamespaces: PodRule = (_, spec) => {
  const set = ["hostNetwork", "hostPID", "hostIPC"].filter((field) => spec[field] === true).map((field) => `${field}=true`);
  return set.length === 0 ? [] : [`host namespaces (${set.join(", ")})`];
};

const hostPaths: PodRule = (_, spec) => {
  const found: string[] = (spec.volumes ?? []).filter((volume: Loose) => volume.hostPath).map(({ name }: Loose) => name);
  return found.length === 0 ? [] : [`hostPath volumes (${plural(found, "volume")} ${quoted(found)})`];
};

const hostPorts: PodRule = (_, __, containers) => {
  const ports = (it: Loose): number[] => (it.ports ?? []).flatMap(({ hostPort }: Loose) => hostPort || []);
  const found = containers.filter((it) => ports(it).length > 0);
  const all = [...new Set(found.flatMap(ports))];
  if (found.length === 0) return [];
  return [`hostPort (${named(found)} ${found.length === 1 ? "uses" : "use"} ${plural(all, "hostPort")} ${all.join(", ")})`];
};

const probeHosts: PodRule = (_, __, containers) => {
  const handlers = (it: Loose): Loose[] => [
    it.livenessProbe,
    it.readinessProbe,
    it.startupProbe,
    it.lifecycle?.postStart,
    it.lifecycle?.preStop,
  ];
  const hosts = (it: Loose): string[] =>
    handlers(it).flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host].filter(Boolean));
  const found = containers.filter((it) => hosts(it).length > 0);
  const all = [...new Set(found.flatMap(hosts))];
  if (found.length === 0) return [];
  const verb = found.length === 1 ? "uses" : "use";
  return [`probe or lifecycle host (${named(found)} ${verb} probe or lifecycle ${plural(all, "host")} ${quoted(all)})`];
};

const appArmor: PodRule = (metadata) => {
  const bad = Object.entries((metadata?.annotations ?? {}) as Record<string, string>)
    .filter(([key]) => key.startsWith("container.apparmor.security.beta.kubernetes.io/"))
    .filter(([, value]) => value !== "" && value !== "runtime/default" && !value.startsWith("localhost/"))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return bad.length === 0 ? [] : [`forbidden AppArmor ${plural(bad, "profile")} (${bad.join(", ")})`];
};

const procMount: PodRule = (_, __, containers) => {
  const set = (it: Loose): string | undefined => context(it).procMount;
  const found = containers.filter((it) => !["", "Default", undefined].includes(set(it)));
  const values = [...new Set(found.map(set))];
  return found.length === 0 ? [] : [`procMount (${named(found)} must not set securityContext.procMount to ${quoted(values)})`];
};

const seLinux: PodRule = (_, spec, containers) => {
  const type = (it: Loose): string | undefined => it?.seLinuxOptions?.type;
  const bad = (it: Loose) => !SELINUX_TYPES.includes(type(it));
  const found = containers.filter((it) => bad(context(it)));
  const pod = bad(spec.securityContext);
  if (!pod && found.length === 0) return [];
  const types = [...new Set([...(pod ? [type(spec.securityContext)] : []), ...found.map((it) => type(context(it)))])];
  return [
    `seLinuxOptions (${withPod(pod, found)} set forbidden securityContext.seLinuxOptions: ${plural(types, "type")} ${quoted(types)})`,
  ];
};

const sysctls: PodRule = (_, spec) => {
  const bad = (spec.securityContext?.sysctls ?? [])
    .map(({ name }: Loose) => name)
    .filter((name: string) => !SAFE_SYSCTLS.has(name));
  return bad.length === 0 ? [] : [`forbidden sysctls (${bad.join(", ")})`];
};

/** Forbidden values are reported before missing ones. */
function unconfined(spec: Loose, containers: readonly Loose[]): string[] {
  const bad = (it: Loose) => it?.seccompProfile?.type === "Unconfined";
  const found = containers.filter((it) => bad(context(it)));
  if (!bad(spec.securityContext) && found.length === 0) return [];
  return [
    `seccompProfile (${withPod(bad(spec.securityContext), found)} must not set securityContext.seccompProfile.type to "Unconfined")`,
  ];
}

const restrictedCapabilities: PodRule = (_, __, containers) => {
  const undropped = containers.filter((it) => !(context(it).capabilities?.drop ?? []).includes("ALL"));
  const parts = [
    ...(undropped.length > 0 ? [`${named(undropped)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...[added(containers, (name) => name === "NET_BIND_SERVICE")].flatMap((text) => text ?? []),
  ];
  return parts.length === 0 ? [] : [`unrestricted capabilities (${parts.join("; ")})`];
};

const restrictedVolumes: PodRule = (_, spec) => {
  const types = (volume: Loose) => Object.keys(volume).filter((key) => !PLAIN_VOLUMES.includes(key));
  const found: Loose[] = (spec.volumes ?? []).filter((volume: Loose) => types(volume).length > 0);
  if (found.length === 0) return [];
  const all = [...new Set(found.flatMap(types))];
  const who = `${plural(found, "volume")} ${quoted(found.map(({ name }) => name))} ${found.length === 1 ? "uses" : "use"}`;
  return [`restricted volume types (${who} restricted volume ${plural(all, "type")} ${quoted(all)})`];
};

const nonRoot: PodRule = (_, spec, containers) => {
  const pod = spec.securityContext?.runAsNonRoot;
  const root = containers.filter((it) => context(it).runAsNonRoot === false);
  if (pod === false || root.length > 0) {
    return [`runAsNonRoot != true (${withPod(pod === false, root)} must not set securityContext.runAsNonRoot=false)`];
  }
  const unset = pod === true ? [] : containers.filter((it) => context(it).runAsNonRoot === undefined);
  return unset.length === 0 ? [] : [`runAsNonRoot != true (${withoutPod(unset)} must set securityContext.runAsNonRoot=true)`];
};

const rootUser: PodRule = (_, spec, containers) => {
  const pod = spec.securityContext?.runAsUser === 0;
  const found = containers.filter((it) => context(it).runAsUser === 0);
  return pod || found.length > 0 ? [`runAsUser=0 (${withPod(pod, found)} must not set runAsUser=0)`] : [];
};

const confined: PodRule = (_, spec, containers) => {
  const wrong = unconfined(spec, containers);
  if (wrong.length > 0 || spec.securityContext?.seccompProfile) return wrong;
  const unset = containers.filter((it) => !context(it).seccompProfile);
  const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return unset.length === 0 ? [] : [`seccompProfile (${withoutPod(unset)} ${must})`];
};

/** `strict`: the restricted level has a stricter check in its place. */
const BASELINE: readonly { check: PodRule; strict?: true }[] = [
  { check: appArmor },
  {
    check: (_, __, containers) =>
      [added(containers, (name) => CAPABILITIES.has(name))].flatMap((text) =>
        text ? [`non-default capabilities (${text})`] : [],
      ),
    strict: true,
  },
  { check: hostNamespaces },
  { check: hostPaths, strict: true },
  { check: hostPorts },
  { check: probeHosts },
  {
    check: (_, __, containers) =>
      broken(containers, (it) => context(it).privileged === true, "privileged", "must not set securityContext.privileged=true"),
  },
  { check: procMount },
  { check: seLinux },
  { check: (_, spec, containers) => unconfined(spec, containers), strict: true },
  { check: sysctls },
];

const RESTRICTED: readonly PodRule[] = [
  (_, __, containers) =>
    broken(
      containers,
      (it) => context(it).allowPrivilegeEscalation !== false,
      "allowPrivilegeEscalation != false",
      "must set securityContext.allowPrivilegeEscalation=false",
    ),
  restrictedCapabilities,
  restrictedVolumes,
  nonRoot,
  rootUser,
  confined,
];

export function problemsOf(level: "privileged" | "baseline" | "restricted", metadata: Loose, spec: Loose): string[] {
  if (level === "privileged") return [];
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  const checks =
    level === "baseline"
      ? BASELINE.map(({ check }) => check)
      : [...BASELINE.filter(({ strict }) => !strict).map(({ check }) => check), ...RESTRICTED];
  return checks.flatMap((check) => check(metadata, spec, containers));
}
