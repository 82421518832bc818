import type { Json } from "@talosmith/lib/json.ts";
import { addressProblem, prefixProblem } from "./go-netip.ts";
import { urlProblem } from "./go-text.ts";
import { at, filled, isFields, list, quoted, word } from "./values.ts";

const MIGRATED =
  "when the endpoint is migrated to the KubeClusterConfig document, the whole .cluster.controlPlane section should be removed " +
  "(.cluster.controlPlane.localAPIServerPort is migrated to the KubeAPIServerConfig document)";
const ACCOUNT =
  ".cluster.serviceAccount requires the cluster endpoint to be set in the same document (.cluster.controlPlane.endpoint); " +
  "when the cluster endpoint is migrated to the KubeClusterConfig document, .cluster.serviceAccount should be migrated to the KubeServiceAccountConfig document as well";

/** Validates the cluster section of the main document. */
export function clusterProblems(cluster: Json | undefined, controlPlane: boolean, minor: number): string[] {
  if (!isFields(cluster)) return ["cluster instructions are required"];
  const endpoint = at(cluster, "controlPlane.endpoint");
  if (minor < 14 && endpoint === undefined) return ["cluster controlplane endpoint is required"];
  if (cluster.controlPlane !== undefined && endpoint === undefined)
    return [`cluster controlplane endpoint is required (.cluster.controlPlane.endpoint); ${MIGRATED}`];
  const problems: string[] = [];
  const problem = endpoint === undefined ? undefined : endpointProblem(word(endpoint));
  if (problem !== undefined) problems.push(`invalid controlplane endpoint: ${problem}`);
  if (minor > 13 && cluster.serviceAccount !== undefined && endpoint === undefined) problems.push(ACCOUNT);
  const domain = word(at(cluster, "network.dnsDomain"));
  if (domain !== "" && !isDnsName(domain)) problems.push(`${quoted(domain)} is not a valid DNS name`);
  problems.push(...cloudProblems(cluster.externalCloudProvider));
  if (cluster.etcd !== undefined) {
    problems.push(...(controlPlane ? etcdProblems(cluster.etcd) : ["etcd config is only allowed on control plane machines"]));
  }
  if (!controlPlane && filled(at(cluster, "ca.key")))
    problems.push("cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)");
  return [
    ...problems,
    ...manifestProblems(cluster.inlineManifests),
    ...discoveryProblems(cluster),
    ...componentProblems("apiserver", cluster.apiServer),
    ...componentProblems("controller-manager", cluster.controllerManager),
    ...componentProblems("scheduler", cluster.scheduler),
  ];
}

/** net.ValidateEndpointURI */
export function endpointProblem(endpoint: string): string | undefined {
  const unreadable = urlProblem(endpoint);
  if (unreadable !== undefined) return unreadable;
  const host = (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/([^/?#]*)/.exec(endpoint)?.[1] ?? "").replace(/^.*@/, "");
  if (host.split(":").length > 3 && !(host.includes("[") && host.includes("]")))
    return "IPv6 addresses MUST be enclosed by square brackets";
  const [, name = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host) ?? [];
  if (name === "" || name === "[]") return "hostname must not be blank";
  if (!port) return undefined;
  return Number(port) < 1 || Number(port) > 65_535 ? "port number must be between 1 and 65535" : undefined;
}

function isDnsName(name: string): boolean {
  const label = "[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}";
  return name.replaceAll(".", "").length <= 255 && new RegExp(`^${label}(\\.${label})*[._]?$`).test(name);
}

function cloudProblems(cloud: Json | undefined): string[] {
  const manifests = list(at(cloud, "manifests")).map(word);
  if (at(cloud, "enabled") !== true)
    return manifests.length > 0 ? ["external cloud provider is disabled, but manifests are provided"] : [];
  return manifests.flatMap((url) => {
    const problem = endpointProblem(url);
    return problem === undefined ? [] : [`invalid external cloud provider manifest url ${quoted(url)}: ${problem}`];
  });
}

/** Whether the text is a subnet or an address, possibly after "!". */
export function isSubnet(text: string): boolean {
  const plain = text.replace(/^!/, "");
  return prefixProblem(plain) === undefined || addressProblem(plain) === undefined;
}

function etcdProblems(etcd: Json): string[] {
  const texts = (key: string) => list(at(etcd, key)).map(word);
  const subnet = word(at(etcd, "subnet"));
  const given = texts("advertisedSubnets");
  const advertised = given.length > 0 || subnet === "" ? given : [subnet];
  const listened = texts("listenSubnets").length > 0 ? texts("listenSubnets") : given;
  const wrong = (subnets: readonly string[], what: string) =>
    subnets
      .map((cidr) => cidr.replace(/^!/, ""))
      .filter((cidr) => !isSubnet(cidr))
      .map((cidr) => `etcd ${what} subnet is not valid: ${quoted(cidr)}`);
  return [
    ...(at(etcd, "ca") === undefined ? ["key/cert combination should not be empty"] : []),
    ...(subnet !== "" && given.length > 0 ? ["etcd subnet can't be set when advertised subnets are set"] : []),
    ...wrong(advertised, "advertised"),
    ...wrong(listened, "listen"),
  ];
}

function manifestProblems(manifests: Json | undefined): string[] {
  const names = list(manifests).map((manifest) => word(at(manifest, "name")));
  return names.flatMap((name, index) => [
    ...(name.trim() === "" ? ["inline manifest name can't be empty"] : []),
    ...(names.indexOf(name) < index ? [`inline manifest name ${quoted(name)} is duplicate`] : []),
  ]);
}

export function discoversByService(cluster: Json | undefined): boolean {
  return at(cluster, "discovery.enabled") === true && at(cluster, "discovery.registries.service.disabled") !== true;
}

function discoveryProblems(cluster: Json): string[] {
  if (!discoversByService(cluster)) return [];
  const endpoint = word(at(cluster, "discovery.registries.service.endpoint")) || "https://discovery.talos.dev/";
  const [, path] = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*([^?#]*)/.exec(endpoint) ?? [];
  const problems: string[] = [];
  if (path === undefined && !endpoint.startsWith("/"))
    problems.push(`cluster discovery service registry endpoint is invalid: parse ${quoted(endpoint)}: invalid URI for request`);
  else if (path !== "" && path !== "/") problems.push("cluster discovery service path should be empty");
  if (!filled(at(cluster, "id"))) problems.push("cluster discovery service requires .cluster.id");
  if (!filled(at(cluster, "secret"))) problems.push("cluster discovery service requires .cluster.secret");
  return problems;
}

/** The error for the first resource other than memory and cpu. */
export function resourceProblem(resources: Json | undefined): string | undefined {
  const keys = ["requests", "limits"].flatMap((part) => Object.keys(at(resources, part) ?? {}));
  const odd = keys.find((key) => key !== "memory" && key !== "cpu");
  return odd === undefined ? undefined : `unsupported pod resource ${quoted(odd)}`;
}

/** Node and RBAC are built in; a webhook is external. */
const AUTHORIZERS = ["Node", "RBAC", "Webhook"];

function authorizerProblem(authorizer: Json): string | undefined {
  const type = word(at(authorizer, "type"));
  if (type === "") return "authorizer type must be set";
  if (!filled(at(authorizer, "name"))) return "authorizer name must be set";
  return AUTHORIZERS.includes(type)
    ? undefined
    : `authorizer type ${type} is not allowed, allowed types are [${AUTHORIZERS.join(" ")}]`;
}

function componentProblems(name: string, component: Json | undefined): string[] {
  const args = Object.keys(at(component, "extraArgs") ?? {});
  if (name === "apiserver" && at(component, "authorizationConfig") !== undefined) {
    if (args.includes("authorization-mode"))
      return [
        "authorization-mode cannot be used in conjunction with AuthorizationConfig, use eitherr AuthorizationConfig or authorization-mode",
      ];
    if (args.some((arg) => arg.startsWith("authorization-webhook-")))
      return [
        "authorization-webhook-* flags cannot be used in conjunction with AuthorizationConfig, use either AuthorizationConfig or authorization-webhook-* flags",
      ];
  }
  const authorizer = list(at(component, "authorizationConfig"))
    .map(authorizerProblem)
    .find((found) => found !== undefined);
  if (name === "apiserver" && authorizer !== undefined)
    return [`apiserver authorization config validation failed: ${authorizer}`];
  const problem = resourceProblem(at(component, "resources"));
  return problem === undefined ? [] : [`${name} resource validation failed: ${problem}`];
}

export function cniProblems(cni: Json | undefined, warnings: string[], minor: number): string[] {
  const name = cni === undefined ? "flannel" : word(at(cni, "name"));
  const urls = list(at(cni, "urls")).map(word);
  if (!["flannel", "none", "custom"].includes(name)) return ['cni name should be one of ["flannel", "custom", "none"]'];
  const problems: string[] = [];
  if (name !== "custom" && urls.length > 0) problems.push(`"urls" field should be empty for "${name}" CNI`);
  if (name === "custom" && urls.length === 0) warnings.push(`"urls" field should not be empty for "custom" CNI`);
  if (name !== "flannel" && list(at(cni, "flannel.extraArgs")).length > 0)
    problems.push(`"flanneldExtraArgs" field should be empty for "${name}" CNI`);
  if (name !== "flannel" && minor > 12 && at(cni, "flannel.kubeNetworkPoliciesEnabled") === true)
    problems.push(`"flannelKubeNetworkPoliciesEnabled" should not be enabled for "${name}" CNI`);
  if (name === "custom") problems.push(...urls.map(endpointProblem).filter((problem) => problem !== undefined));
  return problems;
}
