import type { Secret } from "@talosmith/lib/secret.ts";
import type { AddonPart, Manifest, Preset, Values } from "./addon.ts";
import { type GitOptions, gitUrl, knownHostsOf } from "./git-source.ts";
import { namespaceObjects } from "./pod-security.ts";
import { releaseOf } from "./release-of.ts";
import { secretObject } from "./secret-object.ts";

export interface FluxOptions extends GitOptions {
  readonly url: string;
  /** The polling interval of the repository: "1m". */
  readonly interval?: string;
  /** The age key that decrypts the repository's secrets; default: the environment's own. */
  readonly ageKey?: Secret;
}

/** The name that `flux bootstrap` uses for all objects. */
const NAME = "flux-system";
const AGE = { name: "sops-age", key: "age.agekey" } as const;

/** The objects that `flux bootstrap` creates, without write access to the repository (docs/facts/kubernetes.md#flux-without-its-cli). */
export const flux: Preset<FluxOptions> = {
  chart: {
    name: "flux2",
    namespace: NAME,
    chart: "flux2",
    repository: "https://fluxcd-community.github.io/helm-charts",
    version: "2.18.3",
  },
  make: (options) => {
    const release = releaseOf({ chart: flux.chart, options, values: VALUES });
    const { namespace } = release;
    // The key first: without it the first reconciliation would fail.
    const before: AddonPart[] = [
      { kind: "objects", name: "access", objects: [...namespaceObjects(namespace, false), ...accessObjects(options, namespace)] },
      ...(options.ageKey === undefined ? [{ kind: "age-key" as const, name: "age-key", secret: { namespace, ...AGE } }] : []),
    ];
    const sync: AddonPart = { kind: "objects", name: "sync", objects: syncObjects(options, namespace) };
    return { parts: [...before, release, sync], machines: {} };
  },
};

/** Flux's four default controllers. */
const VALUES: Values = {
  imageAutomationController: { create: false },
  imageReflectionController: { create: false },
};

function accessObjects(options: FluxOptions, namespace: string): Manifest[] {
  const { ageKey } = options;
  const access = credentials(options);
  return [
    ...(access ? [secretObject({ name: NAME, namespace }, access)] : []),
    ...(ageKey ? [secretObject({ name: AGE.name, namespace }, { [AGE.key]: ageKey.reveal() })] : []),
  ];
}

/** The credentials in the format of source-controller, which requires known hosts for SSH. */
function credentials(options: FluxOptions): Readonly<Record<string, string>> | undefined {
  const { url, key, knownHosts = knownHostsOf(url) ?? "", username, password } = options;
  if (key !== undefined) return { identity: key.reveal(), known_hosts: knownHosts };
  if (password === undefined) return undefined;
  return username === undefined ? { bearerToken: password.reveal() } : { username, password: password.reveal() };
}

function syncObjects(options: FluxOptions, namespace: string): Manifest[] {
  const { url, branch = "main", path = "./", interval = "1m" } = options;
  const metadata = { name: NAME, namespace };
  return [
    {
      apiVersion: "source.toolkit.fluxcd.io/v1",
      kind: "GitRepository",
      metadata,
      spec: {
        interval,
        url: gitUrl(url),
        ref: { branch },
        ...(credentials(options) && { secretRef: { name: NAME } }),
      },
    },
    {
      apiVersion: "kustomize.toolkit.fluxcd.io/v1",
      kind: "Kustomization",
      metadata,
      spec: {
        interval: "10m",
        path,
        prune: true,
        // The removal of Flux, or of this object by mistake, must not delete everything that came from the repository.
        deletionPolicy: "Orphan",
        sourceRef: { kind: "GitRepository", name: NAME },
        decryption: { provider: "sops", secretRef: { name: AGE.name } },
      },
    },
  ];
}
