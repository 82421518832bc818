import type { AddonPart, Manifest, Preset, Values } from "./addon.ts";
import { type GitOptions, knownHostsOf } from "./git-source.ts";
import { namespaceObjects } from "./pod-security.ts";
import { releaseOf } from "./release-of.ts";
import { secretObject } from "./secret-object.ts";

export interface ArgocdOptions extends GitOptions {
  /** The repository to follow; without it Argo CD is only installed. */
  readonly url?: string;
}

export const argocd: Preset<ArgocdOptions> = {
  chart: {
    name: "argocd",
    namespace: "argocd",
    chart: "argo-cd",
    repository: "oci://ghcr.io/argoproj/argo-helm",
    version: "10.1.1",
  },
  make: (options) => {
    const release = releaseOf({ chart: argocd.chart, options, values: valuesOf(options) });
    const { url } = options;
    if (url === undefined) return { parts: [release], machines: {} };
    const { namespace } = release;
    const access = repository(options, url, namespace);
    const before: AddonPart[] = access
      ? [{ kind: "objects", name: "access", objects: [...namespaceObjects(namespace, false), access] }]
      : [];
    const sync: AddonPart = { kind: "objects", name: "sync", objects: [rootApplication(options, url, namespace)] };
    return { parts: [...before, release, sync], machines: {} };
  },
};

/** The chart contains the keys of all but one of the public hosts. */
function valuesOf({ url = "", key, knownHosts = knownHostsOf(url) }: ArgocdOptions): Values {
  return key !== undefined && knownHosts !== undefined ? { configs: { ssh: { extraHosts: knownHosts } } } : {};
}

/** Argo CD's pages on declarative setup: a Secret with this label is a repository. */
function repository({ key, username, password }: ArgocdOptions, url: string, namespace: string): Manifest | undefined {
  const credentials =
    key !== undefined
      ? { sshPrivateKey: key.reveal() }
      : password !== undefined && { username: username ?? "git", password: password.reveal() };
  if (!credentials) return undefined;
  const labels = { "argocd.argoproj.io/secret-type": "repository" };
  return secretObject({ name: "repository", namespace, labels }, { type: "git", url, ...credentials });
}

/** The root application, which contains all others. */
function rootApplication({ branch = "main", path = "./" }: ArgocdOptions, url: string, namespace: string): Manifest {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "root", namespace },
    spec: {
      project: "default",
      source: { repoURL: url, targetRevision: branch, path: path.replace(/^\.\/+/, "").replace(/\/+$/, "") || "." },
      destination: { server: "https://kubernetes.default.svc", namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}
