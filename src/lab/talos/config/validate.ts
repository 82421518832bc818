import ipaddr from "ipaddr.js";
import type { Json } from "../../../lib/json.ts";
import { type ConfigDocument, type Fields, isFields } from "./documents.ts";
import { ConfigRefused } from "./raw.ts";

export interface ValidationMode {
  /** "metal", "cloud" */
  name: string;
  /** The config must say where to install to. */
  requiresInstall: boolean;
  /** From 1.12.9 on a HostnameConfig may say `auto: off` and nothing else. */
  hostnameMayBeOff: boolean;
}

/** Where a value lies: "machine.install.disk". */
export function at(fields: Json | undefined, path: string): Json | undefined {
  return path.split(".").reduce<Json | undefined>((value, key) => (isFields(value) ? (value as Fields)[key] : undefined), fields);
}

/** A scalar as text; nothing for what is none. */
export function word(value: Json | undefined): string {
  return typeof value === "object" || value === undefined ? "" : String(value);
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function filled(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** Throws `ConfigRefused` with everything that is wrong, in the shape Talos prints (talos.md 2.3); returns warnings. */
export function validateDocuments(documents: readonly ConfigDocument[], mode: ValidationMode): string[] {
  const main = documents.find((document) => document.kind === "v1alpha1")?.fields;
  const warnings: string[] = [];
  const problems: string[] = [];
  if (main) {
    const found = mainProblems(main, mode, warnings);
    if (found.length > 0) problems.push(`v1alpha1.Config: ${together(found)}`);
  }
  for (const document of documents) {
    const found = document.kind === "v1alpha1" ? undefined : documentProblem(document, mode);
    if (found !== undefined) problems.push(`${[document.kind, document.name].filter(Boolean).join("/")}: ${found}`);
  }
  if (main) problems.push(...documents.flatMap((document) => conflicts(document, main)));
  if (problems.length > 0) throw new ConfigRefused(together(problems));
  return warnings;
}

/** As Go's multierror prints several. */
function together(problems: readonly string[]): string {
  const count = problems.length === 1 ? "1 error" : `${problems.length} errors`;
  return `${count} occurred:\n\t* ${problems.join("\n\t* ")}\n\n`;
}

function mainProblems(main: Fields, mode: ValidationMode, warnings: string[]): string[] {
  if (!isFields(main.machine)) return ["machine instructions are required"];
  const type = at(main, "machine.type");
  const controlPlane = type === "controlplane" || type === "init";
  const problems = [...clusterProblems(main.cluster, controlPlane), ...installProblems(main, mode)];
  const hostDns = at(main, "machine.features.hostDNS");
  if (at(hostDns, "forwardKubeDNSToHost") === true && at(hostDns, "enabled") !== true)
    problems.push("feature hostDNS.forwardKubeDNSToHost requires hostDNS.enabled to be true (.machine.features.hostDNS)");
  const accepted = filled(at(main, "machine.acceptedCAs"));
  const hasCa = filled(at(main, "machine.ca.crt")) || filled(at(main, "machine.ca.key"));
  if (!hasCa && !accepted) problems.push("issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)");
  if (controlPlane) {
    problems.push(...cniProblems(at(main, "cluster.network.cni"), warnings));
    if (!hasCa) problems.push("issuing CA is required (.machine.ca)");
    else if (!filled(at(main, "machine.ca.key")))
      problems.push("issuing CA key is required for controlplane nodes (.machine.ca.key)");
  } else if (type === "worker") {
    problems.push(...workerProblems(main, accepted));
  } else problems.push(`unknown machine type "${typeof type === "string" ? type : ""}"`);
  if (at(main, "machine.network.kubespan.enabled") === true) problems.push(...kubeSpanProblems(main));
  if (at(main, "machine.features.kubernetesTalosAPIAccess.enabled") === true && !controlPlane)
    problems.push("feature Kubernetes Talos API Access can only be enabled on control plane machines");
  if (main.persist === false) problems.push(".persist should be enabled");
  return problems;
}

function clusterProblems(cluster: Json | undefined, controlPlane: boolean): string[] {
  if (!isFields(cluster)) return ["cluster instructions are required"];
  const endpoint = at(cluster, "controlPlane.endpoint");
  if (typeof endpoint !== "string" || endpoint === "") return ["cluster controlplane endpoint is required"];
  const problems: string[] = [];
  if (!/^https?:\/\/[^/\s]+/.test(endpoint))
    problems.push("invalid controlplane endpoint: url scheme must be http(s) and the host must be set");
  if (filled(cluster.etcd) && !controlPlane) problems.push("etcd config is only allowed on control plane machines");
  if (!controlPlane && filled(at(cluster, "ca.key")))
    problems.push("cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)");
  const names = list(cluster.inlineManifests).map((manifest) => word(at(manifest, "name") ?? ""));
  for (const [index, name] of names.entries()) {
    if (name.trim() === "") problems.push("inline manifest name can't be empty");
    if (names.indexOf(name) < index) problems.push(`inline manifest name "${name}" is duplicate`);
  }
  return problems;
}

function installProblems(main: Fields, mode: ValidationMode): string[] {
  if (!mode.requiresInstall) return [];
  const install = at(main, "machine.install");
  if (!isFields(install)) return [`install instructions are required in "${mode.name}" mode`];
  const problems: string[] = [];
  if (!filled(install.disk) && !filled(install.diskSelector))
    problems.push("either install disk or diskSelector should be defined");
  if (filled(install.extraKernelArgs) && install.grubUseUKICmdline === true)
    problems.push("install.extraKernelArgs and install.grubUseUKICmdline can't be used together");
  return problems;
}

function cniProblems(cni: Json | undefined, warnings: string[]): string[] {
  const name = at(cni, "name") ?? "flannel";
  const urls = filled(at(cni, "urls"));
  if (name === "custom" && !urls) warnings.push(`"urls" field should not be empty for "custom" CNI`);
  if (name !== "flannel" && name !== "none" && name !== "custom")
    return ['cni name should be one of ["flannel", "custom", "none"]'];
  return name !== "custom" && urls ? [`"urls" field should be empty for "${name}" CNI`] : [];
}

function workerProblems(main: Fields, accepted: boolean): string[] {
  const problems = list(at(main, "machine.network.interfaces"))
    .filter((device) => filled(at(device, "vip")))
    .map(() => "virtual (shared) IP is not allowed on non-controlplane nodes");
  if (filled(at(main, "machine.ca.key")))
    problems.push("issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)");
  if (isFields(at(main, "machine.ca")) && !filled(at(main, "machine.ca.crt")) && !accepted)
    problems.push("trusted CA certificates are required on non-controlplane nodes (.machine.ca.crt, .machine.acceptedCAs)");
  if (filled(at(main, "cluster.ca.key")))
    problems.push("issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)");
  return problems;
}

function kubeSpanProblems(main: Fields): string[] {
  const needs = [
    [
      at(main, "cluster.discovery.enabled") === true,
      ".cluster.discovery should be enabled when .machine.network.kubespan is enabled",
    ],
    [filled(at(main, "cluster.id")), ".cluster.id should be set when .machine.network.kubespan is enabled"],
    [filled(at(main, "cluster.secret")), ".cluster.secret should be set when .machine.network.kubespan is enabled"],
  ] as const;
  return needs.filter(([met]) => !met).map(([, problem]) => problem);
}

const NAMED = ["LinkConfig", "LinkAliasConfig", "Layer2VIPConfig"];

function documentProblem({ kind, name, fields }: ConfigDocument, mode: ValidationMode): string | undefined {
  if (kind === "HostnameConfig") return hostnameProblem(fields, mode);
  if (NAMED.includes(kind) && name === "") return "name must be specified";
  if (kind === "LinkConfig") return linkProblem(fields);
  if (kind === "Layer2VIPConfig") {
    if (!ipaddr.isValid(name)) return `name must be a valid IP address: "${name}"`;
    return filled(fields.link) ? undefined : "link must be specified";
  }
  if (kind === "LinkAliasConfig" && !filled(at(fields, "selector.match"))) return "link selector is required";
  return undefined;
}

function linkProblem(fields: Fields): string | undefined {
  const problems = list(fields.addresses).flatMap((one, index) => {
    const address = at(one, "address");
    if (!filled(address)) return [`address ${index} must be specified`];
    return ipaddr.isValidCIDR(word(address)) ? [] : [`address ${index} must be a valid IP prefix`];
  });
  return problems.length === 0 ? undefined : problems.join("\n");
}

function hostnameProblem({ auto: kind, hostname }: Fields, { hostnameMayBeOff }: ValidationMode): string | undefined {
  const problems: string[] = [];
  if (!filled(hostname) && (!filled(kind) || (kind === "off" && !hostnameMayBeOff)))
    problems.push("either 'auto' or 'hostname' must be set");
  if (filled(kind) && kind !== "off" && filled(hostname)) problems.push("'auto' and 'hostname' cannot be set at the same time");
  if (filled(kind) && kind !== "off" && kind !== "stable") problems.push(`invalid value for 'auto': ${word(kind)}`);
  if (typeof hostname === "string" && hostname !== "") {
    const [first = ""] = hostname.split(".");
    if (hostname.length > 253) problems.push(`fqdn is too long: ${hostname.length}`);
    if (first === "" || first.length > 63) problems.push(`invalid hostname "${first}"`);
  }
  return problems.length === 0 ? undefined : problems.join("\n");
}

/** Two ways to say the same thing at once. */
function conflicts({ kind }: ConfigDocument, main: Fields): string[] {
  const has = (path: string) => filled(at(main, `machine.${path}`));
  if (kind === "HostnameConfig") {
    if (has("network.hostname")) return ["static hostname is already set in v1alpha1 config"];
    if (at(main, "machine.features.stableHostname") === true) return ["stable hostname is already set in v1alpha1 config"];
  }
  if (kind === "ResolverConfig") {
    const twice = ["searchDomains", "nameservers", "disableSearchDomain"].find((key) => has(`network.${key}`));
    if (twice !== undefined) return [`.machine.network.${twice} is already set in v1alpha1 config`];
  }
  if (kind === "TimeSyncConfig") {
    if (at(main, "machine.time.disabled") === true)
      return ["time sync cannot be disabled in both v1alpha1 and new-style configuration"];
    if (has("time.servers")) return ["time servers cannot be specified in both v1alpha1 and new-style configuration"];
    if (has("time.bootTimeout")) return ["boot timeout cannot be specified in both v1alpha1 and new-style configuration"];
  }
  return [];
}
