import { INSTALLER_NAMESPACE } from "./installer.ts";
import type { HelmRelease } from "./release.ts";
import { podSecurityHint } from "./release-up.ts";

type Hint = (release: HelmRelease, log: string) => string | undefined;

/** Messages of Helm and the API server, with the hint for each; the first match counts. */
const HINTS: readonly [RegExp, Hint][] = [
  [/unknown flag: --labels/, ({ helmImage }) => `${helmImage} is too old: addons.helmImage needs Helm 3.13 or newer`],
  [/violates PodSecurity/, ({ namespace }, log) => podSecurityHint(log, namespace)],
  [
    /don't meet the specifications of the schema|at '\/.*':|additional properties .* not allowed/i,
    ({ name, chart, version }) =>
      `chart ${chart} ${version} has no such value, or the value has a wrong type: correct the values of ${name}`,
  ],
  [
    /execution error at \(|template: |error calling (include|tpl|required|fail)|nil pointer evaluating|YAML parse error on|error converting YAML/,
    ({ name, chart, version }) =>
      `chart ${chart} ${version} renders invalid objects from these values: correct the values of ${name}`,
  ],
  [
    /invalid ownership metadata|cannot be imported into the current release/,
    () => "objects with these names exist already and Helm did not create them: remove them, then run the same command again",
  ],
  [
    /no matches for kind "[^"]+" in version|ensure CRDs are installed first/,
    (_, log) => {
      const [, kind, version] = /no matches for kind "([^"]+)" in version "([^"]+)"/.exec(log) ?? [];
      return `the CRD of ${kind ?? "these objects"}${version ? ` (${version})` : ""} must be installed first: put it earlier in charts or manifests`;
    },
  ],
  [/failed calling webhook/, () => "the webhook it names must answer first: check its pods, then run the same command again"],
  [
    /admission webhook .* denied the request/,
    ({ name }) => `a policy in the cluster forbids it: change the policy or the values of ${name}`,
  ],
  [
    /chart .* version .* not found|no chart version found|no chart name found|manifest unknown|improper constraint|could not .*locate a version|name unknown|: not found/i,
    ({ name, chart, version, repository }) =>
      `check that chart ${chart} ${version} exists at ${repository}; correct the version or repository of ${name}`,
  ],
  [
    /dial tcp [^ ]*:7445|kubernetes cluster unreachable/i,
    () => "Helm could not reach the API server: run the same command again",
  ],
  [
    /no such host|dial tcp|i\/o timeout|TLS handshake timeout|connection refused|x509:|not a valid chart repository|failed to (fetch|download|do request)|server misbehaving/i,
    ({ chart, version, repository }) =>
      `check that the control planes can reach ${repository}, and that chart ${chart} ${version} exists`,
  ],
  [
    /timed out waiting|context deadline exceeded/,
    ({ namespace }) => `something it waits for does not become ready: kubectl --namespace ${namespace} get pods,events`,
  ],
  [
    /field is immutable|Forbidden: updates to/,
    ({ name }) =>
      `this field cannot be changed: remove the object it names, then run the same command again: ${name} creates it again`,
  ],
];

/** The hint for a failed Helm with this log. */
export function failureHint(release: HelmRelease, job: string, log: string): string {
  for (const [pattern, hint] of HINTS) {
    const words = pattern.test(log) ? hint(release, log) : undefined;
    if (words !== undefined) return words;
  }
  return `the whole log: kubectl --namespace ${INSTALLER_NAMESPACE} logs job/${job}`;
}
