import type { Json } from "@talosmith/lib/json.ts";
import { minorOf } from "../versions.ts";
import { selectorProblem } from "./install-disk.ts";
import { imageProblem } from "./kubernetes-versions.ts";
import { annotationProblems, labelProblems, taintProblems } from "./labels.ts";
import type { ValidationMode } from "./mode.ts";
import { clusterProblems, cniProblems, isSubnet } from "./validate-cluster.ts";
import { deviceProblems } from "./validate-devices.ts";
import { at, type Fields, filled, isFields, list, quoted, word } from "./values.ts";

const SMALLEST_MTU = 1280;

/** Validates the main document in the order of Talos's v1alpha1_validation.go. */
export function mainProblems(main: Fields, mode: ValidationMode, warnings: string[]): string[] {
  const { machine } = main;
  if (!isFields(machine)) return ["machine instructions are required"];
  const minor = minorOf(mode.version);
  const type = machineType(machine);
  const controlPlane = type === "controlplane" || type === "init";
  if (minor > 13 && list(machine.files).length > 0)
    warnings.push(".machine.files is deprecated; use dedicated configuration documents instead");
  if (minor > 13 && filled(machine.baseRuntimeSpecOverrides))
    warnings.push(".machine.baseRuntimeSpecOverrides is deprecated; use a CRIBaseRuntimeSpecConfig document instead");
  const problems = [...clusterProblems(main.cluster, controlPlane, minor), ...installProblems(machine, mode)];
  const hostDns = at(machine, "features.hostDNS");
  if (minor > 12 && at(hostDns, "forwardKubeDNSToHost") === true && at(hostDns, "enabled") !== true)
    problems.push("feature hostDNS.forwardKubeDNSToHost requires hostDNS.enabled to be true (.machine.features.hostDNS)");
  if (type !== "unknown" && type !== word(machine.type)) {
    warnings.push(`use ${quoted(type)} instead of ${quoted(word(machine.type))} for machine type`);
  }
  const { ca } = machine;
  const accepted = list(machine.acceptedCAs).length > 0;
  if (ca === undefined && !accepted)
    problems.push("issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)");
  if (controlPlane) {
    if (minor < 14 || at(main, "cluster.network") !== undefined)
      problems.push(...cniProblems(at(main, "cluster.network.cni"), warnings, minor));
    if (ca === undefined) problems.push("issuing CA is required (.machine.ca)");
    else if (!filled(at(ca, "key"))) problems.push("issuing CA key is required for controlplane nodes (.machine.ca.key)");
  } else if (type === "worker") problems.push(...workerProblems(main, machine, accepted));
  else problems.push(`unknown machine type ${quoted(word(machine.type))}`);
  return [...problems, ...laterProblems(main, machine, mode, controlPlane, warnings)];
}

function machineType(machine: Fields): string {
  const type = word(machine.type);
  if (type === "worker" || type === "join" || type === "") return "worker";
  return type === "init" || type === "controlplane" ? type : "unknown";
}

function installProblems(machine: Fields, mode: ValidationMode): string[] {
  if (!mode.requiresInstall) return [];
  const { install } = machine;
  if (!isFields(install)) return minorOf(mode.version) < 14 ? [`install instructions are required in "${mode.name}" mode`] : [];
  const problems: string[] = [];
  const selector = selectorProblem(install.diskSelector);
  if (selector !== undefined) problems.push(`install disk selector is invalid: ${selector}`);
  if (!filled(install.disk) && (install.diskSelector === undefined || selector !== undefined))
    problems.push("either install disk or diskSelector should be defined");
  if (list(install.extraKernelArgs).length > 0 && install.grubUseUKICmdline === true)
    problems.push("install.extraKernelArgs and install.grubUseUKICmdline can't be used together");
  return problems;
}

function workerProblems(main: Fields, machine: Fields, accepted: boolean): string[] {
  const problems = list(at(machine, "network.interfaces"))
    .flatMap((device) => [device, ...list(at(device, "vlans"))])
    .filter((device) => at(device, "vip") !== undefined)
    .map(() => "virtual (shared) IP is not allowed on non-controlplane nodes");
  if (filled(at(machine, "ca.key")))
    problems.push("issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)");
  if (machine.ca !== undefined && !filled(at(machine, "ca.crt")) && !accepted)
    problems.push("trusted CA certificates are required on non-controlplane nodes (.machine.ca.crt, .machine.acceptedCAs)");
  if (filled(at(main, "cluster.ca.key")))
    problems.push("issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)");
  return problems;
}

function laterProblems(main: Fields, machine: Fields, mode: ValidationMode, controlPlane: boolean, warnings: string[]): string[] {
  const minor = minorOf(mode.version);
  const kubespan = at(machine, "network.kubespan");
  const spans = at(kubespan, "enabled") === true;
  const mtu = at(kubespan, "mtu");
  return [
    ...deviceProblems(machine.network, warnings),
    ...(spans && mtu !== undefined && Number(mtu) < SMALLEST_MTU ? [`kubespan link MTU must be at least ${SMALLEST_MTU}`] : []),
    ...list(machine.disks).flatMap((disk) => partitionProblems(disk)),
    ...kubeletProblems(machine.kubelet),
    ...encryptionProblems(machine.systemDiskEncryption),
    ...(spans ? kubeSpanProblems(main, kubespan, minor) : []),
    ...list(at(machine, "logging.destinations")).flatMap(loggingProblems),
    ...extensionProblems(machine.install, minor, warnings),
    ...labelProblems("invalid machine node labels", machine.nodeLabels),
    ...annotationProblems("invalid machine node annotations", machine.nodeAnnotations),
    ...taintProblems("invalid machine node taints", machine.nodeTaints),
    ...accessProblems(at(machine, "features.kubernetesTalosAPIAccess"), controlPlane, minor),
    ...sortProblems(at(machine, "features.nodeAddressSortAlgorithm")),
    ...(main.persist === false ? [".persist should be enabled"] : []),
    ...(minor > 13 ? versionProblems(main, mode.version) : []),
  ];
}

function partitionProblems(disk: Json): string[] {
  const partitions = list(at(disk, "partitions"));
  const device = word(at(disk, "device"));
  return partitions.flatMap((partition, index) =>
    at(partition, "size") === undefined && index < partitions.length - 1
      ? [`partition for disk ${quoted(device)} is set to occupy full disk, but it's not the last partition in the list`]
      : [],
  );
}

const PROTECTED =
  "apiVersion authentication authorization cgroupRoot kind kubeletCgroups port protectKernelDefaults resolvConf rotateCertificates systemCgroups staticPodPath seccompDefault".split(
    " ",
  );

/** Kubelet config fields that Talos manages. */
export function protectedProblems(config: Json | undefined): string[] {
  return PROTECTED.filter((field) => isFields(config) && Object.hasOwn(config, field)).map(
    (field) => `kubelet configuration field ${quoted(field)} can't be overridden`,
  );
}

function kubeletProblems(kubelet: Json | undefined): string[] {
  const subnets = list(at(kubelet, "nodeIP.validSubnets")).map((cidr) => word(cidr).replace(/^!/, ""));
  return [
    ...subnets.filter((cidr) => !isSubnet(cidr)).map((cidr) => `kubelet nodeIP subnet is not valid: ${quoted(cidr)}`),
    ...protectedProblems(at(kubelet, "extraConfig")),
  ];
}

function encryptionProblems(encryption: Json | undefined): string[] {
  return ["EPHEMERAL", "STATE"].flatMap((label) => {
    const found = at(encryption, label.toLowerCase());
    if (found === undefined) return [];
    const keys = list(at(found, "keys"));
    const problems = keys.length === 0 ? [`partition ${quoted(label)}: no encryption keys provided`] : [];
    const taken = new Set<number>();
    for (const key of keys) {
      const slot = Number(at(key, "slot") ?? 0);
      if (taken.has(slot)) problems.push(`partition ${quoted(label)}: encryption key slot ${slot} is already in use`);
      taken.add(slot);
      if (["static", "nodeID", "kms", "tpm"].every((kind) => at(key, kind) === undefined))
        problems.push(`partition ${quoted(label)}: encryption key at slot ${slot} doesn't have the configuration parameters`);
    }
    return problems;
  });
}

function kubeSpanProblems(main: Fields, kubespan: Json | undefined, minor: number): string[] {
  const needs: [met: boolean, problem: string][] = [
    [
      at(main, "cluster.discovery.enabled") === true,
      ".cluster.discovery should be enabled when .machine.network.kubespan is enabled",
    ],
    [filled(at(main, "cluster.id")), ".cluster.id should be set when .machine.network.kubespan is enabled"],
    [filled(at(main, "cluster.secret")), ".cluster.secret should be set when .machine.network.kubespan is enabled"],
  ];
  const filters = (key: string) => list(at(kubespan, `filters.${key}`)).map((cidr) => word(cidr).replace(/^!/, ""));
  return [
    ...needs.filter(([met]) => minor < 14 && !met).map(([, problem]) => problem),
    ...filters("endpoints")
      .filter((cidr) => !isSubnet(cidr))
      .map((cidr) => `KubeSpan endpoint filter is not valid: ${quoted(cidr)}`),
    ...filters("excludeAdvertisedNetworks")
      .filter((cidr) => !isSubnet(cidr) || !cidr.includes("/"))
      .map((cidr) => `KubeSpan exclude advertised networks filter is not valid: ${quoted(cidr)}`),
  ];
}

function loggingProblems(destination: Json): string[] {
  const endpoint = at(destination, "endpoint");
  const format = word(at(destination, "format"));
  const [, scheme = "", host = ""] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?/.exec(word(endpoint)) ?? [];
  return [
    ...(endpoint === undefined
      ? ["empty logging endpoint"]
      : [
          ...(host === "" ? ["empty logging endpoint's host"] : []),
          ...(scheme === "tcp" || scheme === "udp" ? [] : [`unexpected logging endpoint scheme ${quoted(scheme)}`]),
        ]),
    ...(format === "json_lines" ? [] : [`unknown logging format ${quoted(format)}`]),
  ];
}

function extensionProblems(install: Json | undefined, minor: number, warnings: string[]): string[] {
  const images = list(at(install, "extensions")).map((extension) => word(at(extension, "image")));
  if (images.length > 0) warnings.push(extensionWarning(minor));
  return images.flatMap((image, index) => (images.indexOf(image) < index ? [`duplicate system extension ${quoted(image)}`] : []));
}

export function extensionWarning(minor: number): string {
  const page =
    minor > 12
      ? "https://docs.siderolabs.com/talos/latest/platform-specific-installations/boot-assets"
      : "https://www.talos.dev/latest/talos-guides/install/boot-assets/";
  return `.machine.install.extensions is deprecated, please see ${page}`;
}

/** docs/facts/talos.md#client-certificates */
export function isRole(role: string, minor: number): boolean {
  const newer = minor > 12 ? ["os:image:verifier", "os:meta:writer"] : [];
  return ["os:admin", "os:operator", "os:reader", "os:etcd:backup", "os:impersonator", ...newer].includes(role);
}

function accessProblems(access: Json | undefined, controlPlane: boolean, minor: number): string[] {
  if (at(access, "enabled") !== true) return [];
  return [
    ...(controlPlane ? [] : ["feature Kubernetes Talos API Access can only be enabled on control plane machines"]),
    ...list(at(access, "allowedRoles"))
      .map(word)
      .filter((role) => !isRole(role, minor))
      .map((role) => `invalid role ${quoted(role)} in allowed roles for Kubernetes Talos API Access`),
  ];
}

function sortProblems(algorithm: Json | undefined): string[] {
  const name = word(algorithm);
  return name === "" || ["v1", "v2"].includes(name.toLowerCase())
    ? []
    : [`invalid node address sort algorithm: ${name} does not belong to AddressSortAlgorithm values`];
}

/** Checks whether this Talos supports the Kubernetes images in the main document. */
export function versionProblems(main: Fields, version: string): string[] {
  const type = isFields(main.machine) ? machineType(main.machine) : "unknown";
  const controlPlane = (type === "controlplane" || type === "init") && isFields(main.cluster);
  const images: [name: string, image: Json | undefined][] = [
    ["kubelet", at(main, "machine.kubelet.image")],
    ...(controlPlane
      ? ([
          ["kube-apiserver", at(main, "cluster.apiServer.image")],
          ["kube-controller-manager", at(main, "cluster.controllerManager.image")],
          ["kube-scheduler", at(main, "cluster.scheduler.image")],
        ] satisfies [string, Json | undefined][])
      : []),
  ];
  return images.flatMap(([name, image]) => {
    const problem = filled(image) ? imageProblem(word(image), version) : undefined;
    return problem === undefined ? [] : [`${name} image is not valid: ${problem}`];
  });
}
