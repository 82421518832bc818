import { createHash } from "node:crypto";
import type { Loose } from "../objects.ts";
import type { Image, Process } from "../pods/program.ts";
import { condition, InCluster } from "./in-cluster.ts";

const GIT = "gitrepositories.source.toolkit.fluxcd.io";
const KUSTOMIZATIONS = "kustomizations.kustomize.toolkit.fluxcd.io";

const manager = (name: string, controls: Image["controls"]): Image => ({
  name: `fluxcd/${name}`,
  pullMs: 3000,
  entrypoint: ["/sbin/tini", "--", name],
  readyMs: 3000,
  ...(controls && { controls }),
});

const pathOf = ({ apiVersion, metadata }: Loose, resource: string) =>
  `/apis/${apiVersion}/namespaces/${metadata.namespace}/${resource}/${metadata.name}`;

/** Fetches nothing: every readable repository has one commit, derived from its address and branch. */
async function followSources(run: Process): Promise<void> {
  const api = new InCluster(run);
  for (const source of await api.list("/apis/source.toolkit.fluxcd.io/v1/gitrepositories")) {
    if (source.spec.suspend) continue;
    const problem = await credentialProblem(api, source);
    const revision = revisionOf(source.spec);
    const hash = createHash("sha256").update(revision).digest("hex");
    const ready = problem
      ? condition(run, source, "Ready", "False", "AuthenticationFailed", problem)
      : condition(run, source, "Ready", "True", "Succeeded", `stored artifact for revision '${revision}'`);
    const stored = ready.status === "True";
    const path = `gitrepository/${source.metadata.namespace}/${source.metadata.name}/${hash.slice(0, 40)}.tar.gz`;
    await api.report(pathOf(source, "gitrepositories"), source, {
      observedGeneration: source.metadata.generation,
      conditions: stored
        ? [ready, condition(run, source, "ArtifactInStorage", "True", "Succeeded", `stored artifact for revision '${revision}'`)]
        : [ready, condition(run, source, "FetchFailed", "True", "AuthenticationFailed", ready.message)],
      ...(stored && {
        artifact: {
          revision,
          digest: `sha256:${hash}`,
          path,
          url: `http://source-controller.${run.env.RUNTIME_NAMESPACE}.svc.cluster.local./${path}`,
          lastUpdateTime: ready.lastTransitionTime,
        },
      }),
    });
  }
}

function revisionOf({ url, ref = {} }: Loose): string {
  const name = ref.branch ?? ref.tag ?? ref.semver ?? "master";
  return `${name}@sha1:${createHash("sha1").update(`${url} ${name}`).digest("hex")}`;
}

/** The credential error, with the messages of fluxcd/pkg/git and source-controller. */
async function credentialProblem(api: InCluster, { metadata, spec }: Loose): Promise<string | undefined> {
  const transport = /^(\w+):/.exec(spec.url)?.[1] ?? "ssh";
  const failed = (why: string) => `failed to configure authentication options: ${why}`;
  const { name } = spec.secretRef ?? {};
  if (name === undefined) return transport === "ssh" ? failed("invalid 'ssh' auth option: 'identity' is required") : undefined;
  const secret = await api.read(`/api/v1/namespaces/${metadata.namespace}/secrets/${name}`);
  if (!secret) return `failed to get secret '${metadata.namespace}/${name}': secrets ${JSON.stringify(name)} not found`;
  const has = (key: string) => (secret.data?.[key] ?? "") !== "";
  if (transport === "ssh") {
    if (!has("identity")) return failed("invalid 'ssh' auth option: 'identity' is required");
    if (!has("known_hosts")) return failed("invalid 'ssh' auth option: 'known_hosts' is required");
    return undefined;
  }
  return has("password") && !has("username")
    ? failed(`invalid '${transport}' auth option: 'password' requires 'username' to be set`)
    : undefined;
}

async function applyKustomizations(run: Process): Promise<void> {
  const api = new InCluster(run);
  for (const one of await api.list("/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations")) {
    if (one.spec.suspend) continue;
    const { kind, name, namespace = one.metadata.namespace } = one.spec.sourceRef;
    const source =
      kind === "GitRepository"
        ? await api.read(`/apis/source.toolkit.fluxcd.io/v1/namespaces/${namespace}/gitrepositories/${name}`)
        : undefined;
    const [reason, problem] = await kustomizationProblem(api, one, source);
    const revision: string = source?.status?.artifact?.revision ?? "";
    const ready =
      problem === undefined
        ? condition(run, one, "Ready", "True", "ReconciliationSucceeded", `Applied revision: ${revision}`)
        : condition(run, one, "Ready", "False", reason, problem);
    await api.report(pathOf(one, "kustomizations"), one, {
      observedGeneration: one.metadata.generation,
      conditions: [ready],
      ...(problem === undefined && { lastAppliedRevision: revision, inventory: { entries: [] } }),
      ...(revision !== "" && { lastAttemptedRevision: revision }),
    });
  }
}

/** The error of a Kustomization, with kustomize-controller's message. */
async function kustomizationProblem(
  api: InCluster,
  { metadata, spec }: Loose,
  source: Loose,
): Promise<[string, string | undefined]> {
  const { kind, name } = spec.sourceRef;
  if (!source) return ["ArtifactFailed", `${kind}.source.toolkit.fluxcd.io ${JSON.stringify(name)} not found`];
  if (!source.status?.artifact) return ["ArtifactFailed", "Source artifact not found, retrying in 30s"];
  const { provider, secretRef } = spec.decryption ?? {};
  if (provider === undefined || secretRef === undefined) return ["", undefined];
  const secret = await api.read(`/api/v1/namespaces/${metadata.namespace}/secrets/${secretRef.name}`);
  if (!secret) return ["BuildFailed", `secrets ${JSON.stringify(secretRef.name)} not found`];
  const where = `'${metadata.namespace}/${secretRef.name}'`;
  const keys = Object.entries((secret.data ?? {}) as Record<string, string>).filter(([key]) => key.endsWith(".agekey"));
  for (const [key, data] of keys) {
    const lines = Buffer.from(data, "base64").toString("utf8").split("\n");
    if (lines.some((line) => line.startsWith("AGE-SECRET-KEY-"))) continue;
    return [
      "BuildFailed",
      `failed to import data from ${key} decryption Secret ${where}: failed to parse and add to age identities: no secret keys found`,
    ];
  }
  return ["", undefined];
}

/** `flux check --pre` */
const cli: Image = {
  name: "fluxcd/flux-cli",
  pullMs: 3000,
  entrypoint: ["flux"],
  program: async (run) => {
    run.log("► checking prerequisites");
    const version = await new InCluster(run).read("/version");
    run.log(`✔ Kubernetes ${String(version?.gitVersion ?? "").replace(/^v/, "")} >=1.33.0-0`);
    run.log("✔ prerequisites checks passed");
    return 0;
  },
};

export const FLUX: readonly Image[] = [
  cli,
  manager("source-controller", { watches: [GIT, "secrets"], act: followSources }),
  manager("kustomize-controller", { watches: [KUSTOMIZATIONS, GIT, "secrets"], act: applyKustomizations }),
  manager("helm-controller", undefined),
  manager("notification-controller", undefined),
  manager("image-automation-controller", undefined),
  manager("image-reflector-controller", undefined),
];
