import { minorOf } from "../versions.ts";
import { goDuration } from "./decode.ts";
import { type DocumentRule, rule } from "./rules.ts";
import { at, type Fields, filled, list, quoted, word } from "./values.ts";

/** Checks common to all probes. */
function probeProblems(fields: Fields): string[] {
  const [interval, threshold] = [Number(fields.interval ?? 0), Number(fields.failureThreshold ?? 0)];
  return [
    ...(interval < 0 ? [`probe interval cannot be negative: ${goDuration(interval)}`] : []),
    ...(threshold < 0 ? [`probe failure threshold cannot be negative: ${threshold}`] : []),
  ];
}

function timeoutProblems(what: string, fields: Fields): string[] {
  const timeout = Number(fields.timeout ?? 0);
  return timeout < 0 ? [`${what} probe timeout cannot be negative: ${goDuration(timeout)}`] : [];
}

function urlProblems(url: string): string[] {
  if (url === "") return ["HTTP probe URL is required"];
  const [, scheme = "", host] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?/.exec(url) ?? [];
  if (!["http", "https"].includes(scheme.toLowerCase()))
    return [`HTTP probe URL scheme must be http or https, got ${quoted(scheme.toLowerCase())}`];
  const name = (host ?? "").replace(/^.*@/, "").replace(/:\d*$/, "");
  return name === "" ? ["HTTP probe URL must be an absolute http or https URL with a non-empty host"] : [];
}

const RESERVED = [0, 32_500, 32_766, 32_767];

function routingProblems(name: string, fields: Fields): string[] {
  const priority = /^\d+$/.test(name) && Number(name) < 2 ** 32 ? Number(name) : undefined;
  const why = /^\d+$/.test(name) ? "value out of range" : "invalid syntax";
  // A number that is too large counts as the maximum.
  const counted = priority ?? (/^\d+$/.test(name) ? 2 ** 32 - 1 : 0);
  const [table, action] = [word(fields.table).toLowerCase() || "unspec", word(fields.action).toLowerCase() || "unspec"];
  return [
    ...(name === "" ? ["name must be specified"] : []),
    ...(priority === undefined
      ? [`invalid name: must be priority parsable unsigned integer: strconv.ParseUint: parsing ${quoted(name)}: ${why}`]
      : []),
    ...(RESERVED.includes(counted)
      ? [`priority must be between 1 and 32765 (excluding reserved priorities [${RESERVED.join(" ")}])`]
      : []),
    ...(table === "unspec" && ["unspec", "unicast"].includes(action)
      ? ["either table or a non-unicast action must be specified"]
      : []),
    ...(Number(fields.fwMask ?? 0) !== 0 && Number(fields.fwMark ?? 0) === 0 ? ["fwMask requires fwMark to be set"] : []),
  ];
}

/** Whether a pattern cannot match any image: a registry's domain contains a dot or a port, or is localhost. */
function matchesNoImage(pattern: string): boolean {
  const [prefix = ""] = pattern.split("*");
  const glob = pattern.includes("*");
  if (!prefix.includes("/")) return !glob;
  const [domain = ""] = prefix.split("/");
  return !/[.:]/.test(domain) && domain.toLowerCase() !== "localhost";
}

function patternWarnings(index: number, pattern: string, minor: number): string[] {
  const only = "but matching only applies to the image registry and repository, not the tag or digest";
  const [, rest = ""] = pattern.split(/\/(.*)/s);
  const warnings = [
    ...(pattern.includes("@") ? [`rule ${index}: imagePattern contains '@' ${only}`] : []),
    ...(pattern.includes("/") && rest.includes(":") ? [`rule ${index}: imagePattern contains ':' ${only}`] : []),
  ];
  if (minor > 13) {
    const form =
      "references are matched in their normalized '<registry domain>/<repository>' form, e.g. 'nginx' is matched as 'docker.io/library/nginx'";
    return pattern !== "" && matchesNoImage(pattern)
      ? [...warnings, `rule ${index}: imagePattern ${quoted(pattern)} cannot match any image: ${form}`]
      : warnings;
  }
  return pattern.includes("/") || pattern === "*" || pattern === ""
    ? warnings
    : [
        ...warnings,
        `rule ${index}: imagePattern does not contain a '/', image references like 'nginx' are matched as 'docker.io/nginx' (normalized)`,
      ];
}

function verificationProblems(fields: Fields, minor: number, warnings: string[]): string[] {
  return list(fields.rules).flatMap((one, index) => {
    const [skip, deny] = [at(one, "skip") === true, at(one, "deny") === true];
    const [keyless, publicKey] = [at(one, "keyless"), at(one, "publicKey")];
    const verifiers = keyless !== undefined || publicKey !== undefined;
    warnings.push(...patternWarnings(index, word(at(one, "image")), minor));
    const problems = [
      [!filled(at(one, "image")), "imagePattern must be specified"],
      [skip && deny, "skip and deny cannot both be true"],
      [(skip || deny) && verifiers, "verifiers cannot be configured if skip or deny is true"],
      [!skip && !deny && !verifiers, "at least one verifier must be configured"],
      [keyless !== undefined && publicKey !== undefined, "only one of keyless or publicKey verifier can be configured"],
      [keyless !== undefined && !filled(at(keyless, "issuer")), "verifier OIDC issuer must be specified"],
      [
        keyless !== undefined && !filled(at(keyless, "subject")) && !filled(at(keyless, "subjectRegex")),
        "verifier subject or subjectRegex must be specified",
      ],
      [publicKey !== undefined && !filled(at(publicKey, "certificate")), "verifier certificates must be specified"],
    ] as const;
    return problems.filter(([wrong]) => wrong).map(([, problem]) => `rule ${index}: ${problem}`);
  });
}

export const PROBE_RULES: Readonly<Record<string, DocumentRule>> = {
  TCPProbeConfig: rule(({ name, fields }) => [
    ...(name === "" ? ["probe name is required"] : []),
    ...(filled(fields.endpoint) ? [] : ["TCP probe endpoint is required"]),
    ...timeoutProblems("TCP", fields),
    ...probeProblems(fields),
  ]),
  HTTPProbeConfig: rule(({ name, fields }) => [
    ...(name === "" ? ["probe name is required"] : []),
    ...urlProblems(word(fields.url)),
    ...timeoutProblems("HTTP", fields),
    ...probeProblems(fields),
  ]),
  RoutingRuleConfig: rule(({ name, fields }) => routingProblems(name, fields)),
  ImageVerificationConfig: rule(({ fields }, { mode, warnings }) =>
    verificationProblems(fields, minorOf(mode.version), warnings),
  ),
};
