import { X509Certificate } from "node:crypto";
import type { Json } from "@talosmith/lib/json.ts";
import { celProblem } from "../cel/check.ts";
import { ENVIRONMENTS } from "../cel/environments.ts";
import { minorOf } from "../versions.ts";
import { pairProblem } from "./pem.ts";
import { type DocumentRule, rule } from "./rules.ts";
import { at, type Fields, filled, list, quoted, word } from "./values.ts";

/** Splits a URL into scheme, host with port, and path. */
function urlParts(text: string): { scheme: string; host: string; path: string } {
  const [, scheme = "", host = "", path = ""] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)/.exec(text) ?? [];
  return { scheme: scheme.toLowerCase(), host, path };
}

/** net.SplitHostPort */
function hostPortProblem(text: string): string | undefined {
  const refuse = (why: string) => (text === "" ? why : `address ${text}: ${why}`);
  const colon = text.lastIndexOf(":");
  if (colon < 0) return refuse("missing port in address");
  if (!text.startsWith("[") && text.slice(0, colon).includes(":")) return refuse("too many colons in address");
  return undefined;
}

function kmsgProblem(name: string, url: string): string | undefined {
  if (name === "") return "name is required";
  if (url === "") return "url is required";
  const { scheme, host, path } = urlParts(url);
  if (scheme !== "tcp" && scheme !== "udp") return "url scheme must be tcp:// or udp://";
  if (path !== "" && path !== "/") return "url path must be empty";
  return /:\d+$/.test(host) ? undefined : "url port is required";
}

function sideroLinkProblem(url: string): string | undefined {
  if (url === "") return "apiUrl is required";
  const { scheme, path } = urlParts(url);
  if (scheme !== "https" && scheme !== "grpc") return "apiUrl scheme must be https:// or grpc://";
  return path === "" || path === "/" ? undefined : "apiUrl path must be empty";
}

function extensionProblem(name: string, fields: Fields): string | undefined {
  if (name === "") return "name is required";
  const files = list(fields.configFiles);
  if (files.length === 0 && list(fields.environment).length === 0) return `no config files found for extension ${quoted(name)}`;
  for (const file of files) {
    if (!filled(at(file, "content"))) return `extension content is required for extension ${quoted(name)}`;
    if (!filled(at(file, "mountPath"))) return `extension mount path is required for extension ${quoted(name)}`;
  }
  return undefined;
}

const OWN_FILES = ["resolv.conf", "hosts", "machine-id", "extensions.yaml", "localtime", "os-release", "xattr.conf"];
const OWN_FOLDERS = "apparmor.d apparmor ca-certificates cni cri iscsi kubernetes lvm nvme pki selinux ssl".split(" ");

function etcFileProblem(name: string): string | undefined {
  if (name === "") return "user etc file name cannot be empty";
  if (name.startsWith("/") || name.startsWith(".") || name.split("/").includes(".."))
    return `user etc file ${quoted(name)} must be a local path`;
  const [first = ""] = name.split("/");
  return OWN_FILES.includes(name) || OWN_FOLDERS.includes(first)
    ? `user etc file ${quoted(name)} is managed by Talos`
    : undefined;
}

function authProblems(fields: Fields): string[] {
  const [user, token, auth] = [fields.username, fields.identityToken, fields.auth].map(filled);
  return [
    ...(user && token ? ["only one of username/password or identityToken authentication can be specified"] : []),
    ...(auth && (user || token) ? ["only one of auth, username/password or identityToken authentication can be specified"] : []),
  ];
}

function mirrorProblems(fields: Fields): string[] {
  return list(fields.endpoints).flatMap((endpoint, index) => {
    const url = word(at(endpoint, "url"));
    if (url === "") return [`endpoints[${index}].url must be specified`];
    const { scheme } = urlParts(url);
    return scheme === "http" || scheme === "https" ? [] : [`endpoints[${index}].url has unsupported scheme: ${quoted(scheme)}`];
  });
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function identityProblems(identity: Json, minor: number): string[] {
  if (minor > 13) {
    const problem = pairProblem(identity, false);
    return problem === undefined ? [] : [`client identity: ${problem}`];
  }
  const unreadable = (pem: string) => !/-----BEGIN/.test(pem);
  return [
    ...(unreadable(word(at(identity, "cert"))) ? ["client identity certificate is invalid: failed to parse PEM block"] : []),
    ...(unreadable(word(at(identity, "key"))) ? ["client identity key is invalid: failed to parse PEM block"] : []),
  ];
}

function keyProblems(what: string, params: unknown): string[] {
  return Object.keys(params ?? {}).includes("") ? [`${what} key cannot be empty`] : [];
}

const one = (problem: string | undefined) => (problem === undefined ? [] : [problem]);
const unnamed = (name: string) => (name === "" ? ["name must be specified"] : []);

export const RUNTIME_RULES: Readonly<Record<string, DocumentRule>> = {
  EventSinkConfig: rule(({ fields }) => {
    const problem = hostPortProblem(word(fields.endpoint));
    return problem === undefined ? [] : [`event sink endpoint: ${problem}`];
  }),
  KmsgLogConfig: rule(({ name, fields }) => one(kmsgProblem(name, word(fields.url)))),
  SideroLinkConfig: rule(({ fields }) => one(sideroLinkProblem(word(fields.apiUrl)))),
  WatchdogTimerConfig: rule(({ fields }) => {
    const timeout = Number(fields.timeout ?? 0);
    if (!filled(fields.device)) return ["watchdog device: empty value"];
    return timeout !== 0 && timeout < 10_000 ? ["watchdog timeout: minimum value is 10s"] : [];
  }),
  ExtensionServiceConfig: rule(({ name, fields }) => one(extensionProblem(name, fields))),
  EnvironmentConfig: rule(({ fields }) =>
    Object.keys(fields.variables ?? {})
      .filter((key) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))
      .map((key) => `invalid environment variable name: ${quoted(key)}`),
  ),
  OOMConfig: rule(({ fields }) => {
    const [trigger, ranking] = [word(fields.triggerExpression), word(fields.cgroupRankingExpression)];
    const triggers = trigger === "" ? undefined : celProblem(trigger, ENVIRONMENTS.oomTrigger);
    const ranks = ranking === "" ? undefined : celProblem(ranking, ENVIRONMENTS.oomRanking, "double");
    return [
      ...one(triggers && `OOM trigger expression is invalid: ${triggers}`),
      ...one(ranks && `OOM cgroup scoring expression is invalid: ${ranks}`),
      ...(Number(fields.sampleInterval ?? 0) < 0 ? ["OOM sample interval must be longer than 0"] : []),
    ];
  }),
  EtcFileConfig: rule(({ name }) => one(etcFileProblem(name))),
  KernelModuleConfig: rule(({ name }) => (name === "" ? ["name is required"] : [])),
  SysctlConfig: rule(({ fields }) => keyProblems("sysctl", fields.params)),
  SysfsConfig: rule(({ fields }) => keyProblems("sysfs", fields.params)),
  UnattendedInstallConfig: rule(({ fields }, { warnings }) => {
    if (!filled(at(fields, "installer.image")))
      warnings.push(
        "installer.image is not set, if Talos is not booted from asset built by Image Factory, installation will fail",
      );
    const match = word(at(fields, "provisioning.diskSelector.match"));
    if (match === "") return ["provisioning.diskSelector.match is required"];
    const problem = celProblem(match, ENVIRONMENTS.disk);
    return problem === undefined ? [] : [`provisioning.diskSelector.match: ${problem}`];
  }),
  RegistryMirrorConfig: rule(({ name, fields }) => [...unnamed(name), ...mirrorProblems(fields)]),
  RegistryAuthConfig: rule(({ name, fields }) => [...unnamed(name), ...authProblems(fields)]),
  RegistryTLSConfig: rule(({ name, fields }, { mode }) => [
    ...unnamed(name),
    ...(filled(fields.ca) && !isCertificate(word(fields.ca)) ? ["ca must be a valid PEM-encoded certificate"] : []),
    ...(fields.clientIdentity === undefined ? [] : identityProblems(fields.clientIdentity, minorOf(mode.version))),
  ]),
};
