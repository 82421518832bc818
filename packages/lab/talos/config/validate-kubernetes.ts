import type { Json } from "@talosmith/lib/json.ts";
import ipaddr from "ipaddr.js";
import { minorOf } from "../versions.ts";
import { base64Problem } from "./go-text.ts";
import { imageProblem } from "./kubernetes-versions.ts";
import { annotationProblems, labelProblems, subdomainProblem, taintProblems } from "./labels.ts";
import { isKey, pairProblem, pemProblem } from "./pem.ts";
import { type DocumentRule, type RuleContext, rule } from "./rules.ts";
import { endpointProblem, isSubnet, resourceProblem } from "./validate-cluster.ts";
import { isRole, protectedProblems } from "./validate-machine.ts";
import { at, type Fields, filled, list, quoted, word } from "./values.ts";

function acceptedProblems(cas: Json | undefined): string[] {
  return list(cas).flatMap((ca, index) => {
    const problem = pemProblem(word(ca), "CERTIFICATE");
    return problem === undefined ? [] : [`accepted CA #${index}: ${problem}`];
  });
}

function imageProblems(name: string, image: Json | undefined, { mode }: RuleContext): string[] {
  if (!filled(image)) return [`${name} image cannot be empty`];
  const problem = imageProblem(word(image), mode.version);
  return problem === undefined ? [] : [`${name} image is not valid: ${problem}`];
}

function resourceProblems(resources: Json | undefined): string[] {
  const problem = resourceProblem(resources);
  return problem === undefined ? [] : [problem];
}

const OIDC_ALGORITHMS =
  "not supported with KubeAuthenticationConfig: kube-apiserver rejects --oidc-* flags when structured authentication configuration is used, and the configuration has no equivalent setting (all RFC 7518 asymmetric algorithms are accepted)";

/** The longest matching prefix gives the reason. */
const DENIED: readonly (readonly [prefix: string, reason: string])[] = [
  ["oidc-signing-algs", OIDC_ALGORITHMS],
  ["authorization-webhook-", "use KubeAuthorizerConfig"],
  ["authentication-config", "use KubeAuthenticationConfig"],
  ["authorization-config", "use KubeAuthorizerConfig"],
  ["authorization-mode", "use KubeAuthorizerConfig"],
  ["anonymous-auth", "use KubeAuthenticationConfig"],
  ["oidc-", "use KubeAuthenticationConfig"],
];

function argumentProblems(args: Json | undefined): string[] {
  return Object.keys(args ?? {})
    .sort()
    .flatMap((arg) => {
      const denied = DENIED.find(([prefix]) => arg.startsWith(prefix));
      return denied ? [`kube-apiserver extra argument ${quoted(arg)} is not allowed: ${denied[1]}`] : [];
    });
}

function subnetsProblem(
  subnets: readonly string[],
  tooLarge: (bits: number, v6: boolean, cidr: string) => string | undefined,
): string | undefined {
  if (subnets.length === 0) return "at least one subnet must be specified";
  if (subnets.length > 2) return "at most two subnets can be specified for dual-stack clusters";
  const families: boolean[] = [];
  for (const cidr of subnets) {
    if (cidr === "") return "invalid subnet: invalid Prefix";
    const [address, bits] = ipaddr.parseCIDR(cidr);
    const v6 = address.kind() === "ipv6";
    const network = (v6 ? ipaddr.IPv6 : ipaddr.IPv4).networkAddressFromCIDR(cidr);
    if (network.toNormalizedString() !== address.toNormalizedString()) return `invalid subnet: ${cidr} is not a valid CIDR`;
    if ((v6 ? 128 : 32) - bits < 4) return `invalid subnet: /${bits} is too small, it must be larger than /${bits - 4}`;
    const problem = tooLarge(bits, v6, cidr);
    if (problem !== undefined) return problem;
    families.push(v6);
  }
  return new Set(families).size < families.length
    ? "at most one IPv4 and one IPv6 subnet can be specified for dual-stack clusters"
    : undefined;
}

function networkProblems(fields: Fields): string[] {
  const [mask4, mask6] = [Number(fields.nodeCIDRMaskSizeIPv4 ?? 0), Number(fields.nodeCIDRMaskSizeIPv6 ?? 0)];
  const [valid4, valid6] = [mask4 === 0 || (mask4 >= 1 && mask4 <= 32), mask6 === 0 || (mask6 >= 1 && mask6 <= 128)];
  const [pods, services] = [list(fields.podSubnets).map(word), list(fields.serviceSubnets).map(word)];
  const pod = subnetsProblem(pods, (bits, v6, cidr) => {
    const mask = v6 ? mask6 || 64 : mask4 || 24;
    if (!(v6 ? valid6 : valid4)) return undefined;
    if (bits > mask) return `invalid subnet: ${cidr} is smaller than the per-node pod CIDR mask size /${mask}`;
    return mask - bits > 16
      ? `invalid subnet: ${cidr} is too large for the per-node pod CIDR mask size /${mask}, the difference must be at most 16 bits`
      : undefined;
  });
  const service = subnetsProblem(services, (bits, v6, cidr) => {
    const length = v6 ? 128 : 32;
    return length - bits > 20
      ? `invalid subnet: ${cidr} is too large, it must be at least /${length - 20} (at most 20 host identifier bits)`
      : undefined;
  });
  return [
    ...(valid4 ? [] : ["nodeCIDRMaskSizeIPv4 must be between 1 and 32"]),
    ...(valid6 ? [] : ["nodeCIDRMaskSizeIPv6 must be between 1 and 128"]),
    ...(pod === undefined ? [] : [`pod subnets: ${pod}`]),
    ...(service === undefined ? [] : [`service subnets: ${service}`]),
    ...(pods.length === services.length ? [] : ["the number of pod subnets must match the number of service subnets"]),
  ];
}

function manifestNameProblems(what: string, name: string): string[] {
  if (name === "") return [`${what} name is required`];
  const problem = subdomainProblem(name);
  return problem === undefined ? [] : [`${what} name is invalid: ${problem}`];
}

function proxyProblems(fields: Fields, context: RuleContext): string[] {
  if (fields.enabled === false) return [];
  const mode = word(fields.mode);
  if (mode === "iptables" || mode === "ipvs")
    context.warnings.push(`proxy mode ${quoted(mode)} is not recommended, please switch to nftables if possible`);
  if (Object.keys(fields.extraArgs ?? {}).length > 0)
    context.warnings.push("extra arguments for kube-proxy may not work as expected, please use configuration instead");
  return [
    ...imageProblems("proxy", fields.image, context),
    ...(["", "nftables", "iptables", "ipvs"].includes(mode)
      ? []
      : [`invalid proxy mode ${quoted(mode)}: supported modes are iptables, ipvs and nftables`]),
    ...resourceProblems(fields.resources),
  ];
}

const AUTHORIZERS = ["Node", "RBAC", "Webhook"];

export const KUBERNETES_RULES: Readonly<Record<string, DocumentRule>> = {
  KubeAdmissionControlConfig: rule(({ name }) => (name === "" ? ["admission control plugin name is required"] : [])),
  KubeAggregatorCAConfig: rule(({ fields }) => {
    const problem = fields.issuingCA === undefined ? undefined : pairProblem(fields.issuingCA, true);
    return [
      ...(fields.issuingCA === undefined ? ["issuing CA is not set"] : []),
      ...(problem === undefined ? [] : [`issuing CA: ${problem}`]),
      ...acceptedProblems(fields.acceptedCAs),
    ];
  }),
  KubeAPIServerCAConfig: rule(({ fields }) => {
    const problem = fields.issuingCA === undefined ? undefined : pairProblem(fields.issuingCA, true);
    return [...(problem === undefined ? [] : [`issuing CA: ${problem}`]), ...acceptedProblems(fields.acceptedCAs)];
  }),
  KubeAPIServerConfig: rule(({ fields }, context) => [
    ...imageProblems("kube-apiserver", fields.image, context),
    ...argumentProblems(fields.extraArgs),
    ...resourceProblems(fields.resources),
  ]),
  KubeControllerManagerConfig: rule(({ fields }, context) =>
    fields.enabled === false
      ? []
      : [...imageProblems("kube-controller-manager", fields.image, context), ...resourceProblems(fields.resources)],
  ),
  KubeSchedulerConfig: rule(({ fields }, context) =>
    fields.enabled === false ? [] : [...imageProblems("scheduler", fields.image, context), ...resourceProblems(fields.resources)],
  ),
  KubeProxyConfig: rule(({ fields }, context) => proxyProblems(fields, context)),
  KubeletConfig: rule(({ fields }, context) => [
    ...imageProblems("kubelet", fields.image, context),
    ...protectedProblems(fields.config),
  ]),
  KubeClusterConfig: rule(({ fields }) => {
    const problem = filled(fields.endpoint) ? endpointProblem(word(fields.endpoint)) : undefined;
    return [
      ...(filled(fields.clusterName) ? [] : ["clusterName must be specified"]),
      ...(filled(fields.endpoint) ? [] : ["endpoint must be specified"]),
      ...(problem === undefined ? [] : [`cluster endpoint is invalid: ${problem}`]),
    ];
  }),
  KubeNetworkConfig: rule(({ fields }) => networkProblems(fields)),
  KubeNodeConfig: rule(({ fields }) => [
    ...list(at(fields, "nodeIP.validSubnets"))
      .map((cidr) => word(cidr).replace(/^!/, ""))
      .filter((cidr) => !isSubnet(cidr))
      .map((cidr) => `nodeIP subnet is not valid: ${quoted(cidr)}`),
    ...labelProblems("invalid node labels", fields.labels),
    ...annotationProblems("invalid node annotations", fields.annotations),
    ...taintProblems("invalid node taints", fields.taints),
  ]),
  KubeFlannelCNIConfig: rule(({ fields }) => [
    ...(filled(fields.backendType) ? [] : ["flannel backend type must be specified"]),
    ...resourceProblems(fields.resources),
  ]),
  KubePrismConfig: rule(({ fields }) => {
    const port = Number(fields.port ?? 0);
    return port <= 0 || port > 65_535 ? [`invalid port ${port}: must be in range 1-65535`] : [];
  }),
  KubeEtcdEncryptionConfig: rule(({ fields }) =>
    Object.keys(fields.config ?? {}).length === 0 ? ["etcd encryption config is required"] : [],
  ),
  KubeServiceAccountConfig: rule(({ fields }) => {
    const key = word(at(fields, "issuer.privateKey"));
    return [
      ...(key === "" ? ["service issuer private key is required"] : []),
      ...(key !== "" && !isKey(key) ? ["service issuer private key is invalid: failed to parse PEM block"] : []),
      ...(filled(at(fields, "issuer.issuerURL")) ? [] : ["service issuer URL is required"]),
    ];
  }),
  KubeInlineManifestConfig: rule(({ name }) => manifestNameProblems("manifest", name)),
  KubeExternalManifestConfig: rule(({ name, fields }) => {
    const [, scheme = ""] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(word(fields.url)) ?? [];
    const odd = filled(fields.url) && !["http", "https"].includes(scheme.toLowerCase());
    return [
      ...manifestNameProblems("manifest", name),
      ...(filled(fields.url) ? [] : ["manifest URL is required"]),
      ...(odd ? [`manifest URL scheme must be http or https: ${quoted(scheme)}`] : []),
    ];
  }),
  KubeStaticPodConfig: rule(({ name, fields }) => [
    ...manifestNameProblems("static pod", name),
    ...(Object.keys(fields.pod ?? {}).length === 0 ? ["static pod spec is required"] : []),
  ]),
  KubeTalosAPIAccessConfig: rule(({ fields }, { mode, warnings }) => {
    const roles = list(fields.allowedRoles).map(word);
    if (roles.length === 0) warnings.push("no roles are allowed in .allowedRoles, so access is blocked");
    return roles
      .filter((role) => !isRole(role, minorOf(mode.version)))
      .map((role) => `invalid role ${quoted(role)} in .allowedRoles`);
  }),
  KubeAuthorizerConfig: rule(({ name, fields }, { warnings }) => {
    const type = word(fields.type);
    const webhook = Object.keys(fields.webhook ?? {}).length > 0;
    if (type !== "Webhook" && webhook)
      warnings.push("authorizer webhook configuration is not allowed non-Webhook authorizer types");
    return [
      ...(name === "" ? ["authorizer name is required"] : []),
      ...(type === "" ? ["authorizer type is required"] : []),
      ...(AUTHORIZERS.includes(type)
        ? []
        : [`authorizer type ${type} is not allowed, allowed types are [${AUTHORIZERS.join(" ")}]`]),
      ...(type === "Webhook" && !webhook ? ["authorizer webhook configuration is required for Webhook authorizer type"] : []),
    ];
  }),
  DiscoveryIdentityConfig: rule(({ fields }) => {
    if (!filled(fields.clusterID)) return ["clusterID is required"];
    const secret = word(fields.clusterSecret);
    if (secret === "") return ["clusterSecret is required"];
    const problem = base64Problem(secret);
    if (problem !== undefined) return [`invalid clusterSecret: failed to decode from base64: ${secret}; ${problem}`];
    const { length } = Buffer.from(secret, "base64");
    return length === 32 ? [] : [`invalid clusterSecret: expected 32 bytes, got ${length}: ${secret}`];
  }),
  DiscoveryServiceConfig: rule(({ name, fields }) => {
    if (name === "") return ["name is required"];
    const url = word(fields.endpoint);
    if (url === "") return ["endpoint is required"];
    const [, scheme = "", host = ""] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?/.exec(url) ?? [];
    if (scheme === "") return ["endpoint scheme is required"];
    if (!["http", "https", "grpc"].includes(scheme)) return ["endpoint scheme must be http://, https:// or grpc://"];
    return host.replace(/:\d*$/, "") === "" ? ["endpoint host is required"] : [];
  }),
};
