import { createHash } from "node:crypto";
import type { Loose } from "../objects.ts";
import type { Image, Process } from "../pods/program.ts";
import { InCluster } from "./in-cluster.ts";

const APPLICATIONS = "applications.argoproj.io";

/** One image with several programs; only the application controller has visible effects. */
export const argocd: Image = {
  name: "argoproj/argocd",
  pullMs: 5000,
  entrypoint: ["/usr/bin/tini", "--"],
  program: async (run) => {
    if (run.argv.join(" ").endsWith("admin redis-initial-password")) return redisPassword(run);
    await run.sleep(4000);
    return "stays";
  },
  controls: {
    watches: [APPLICATIONS, "secrets"],
    act: async (run) => {
      if (run.argv.some((word) => word.endsWith("argocd-application-controller"))) await syncApplications(run);
    },
  },
};

/** A fixed password: the lab has no secrets. */
async function redisPassword(run: Process): Promise<number> {
  const namespace = run.files["/var/run/secrets/kubernetes.io/serviceaccount/namespace"] ?? "argocd";
  run.log(`Checking for initial Redis password in secret ${namespace}/argocd-redis at key auth.`);
  const api = new InCluster(run);
  const auth = Buffer.from(createHash("sha256").update(namespace).digest("hex").slice(0, 16)).toString("base64");
  await api.ensure(`/api/v1/namespaces/${namespace}/secrets`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "argocd-redis", namespace },
    type: "Opaque",
    data: { auth },
  });
  run.log("Initial Redis password secret has been created or already existed.");
  return 0;
}

async function syncApplications(run: Process): Promise<void> {
  const api = new InCluster(run);
  const applications = await api.list("/apis/argoproj.io/v1alpha1/applications");
  for (const application of applications) {
    const { namespace, name } = application.metadata;
    const path = `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/${name}`;
    const problem = await problemOf(api, application);
    const { repoURL = "", targetRevision = "HEAD" } = application.spec.source ?? application.spec.sources?.[0] ?? {};
    const revision = createHash("sha1").update(`${repoURL} ${targetRevision}`).digest("hex");
    const at = new Date(run.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const was = application.status?.conditions?.[0];
    const automated = application.spec.syncPolicy?.automated !== undefined;
    const status =
      problem === undefined
        ? {
            sync: { status: automated ? "Synced" : "OutOfSync", revision },
            health: { status: automated ? "Healthy" : "Missing" },
            conditions: null,
          }
        : {
            sync: { status: "Unknown" },
            health: { status: "Healthy" },
            conditions: [
              {
                type: "ComparisonError",
                message: problem,
                lastTransitionTime: was?.message === problem ? was.lastTransitionTime : at,
              },
            ],
          };
    // The Application kind has no status subresource.
    await api.report(path, application, status, false);
  }
}

/** The error, with Argo CD's own message. */
async function problemOf(api: InCluster, { metadata, spec }: Loose): Promise<string | undefined> {
  const { repoURL = "" } = spec.source ?? spec.sources?.[0] ?? {};
  const selector = encodeURIComponent("argocd.argoproj.io/secret-type=repository");
  const secrets = await api.list(`/api/v1/namespaces/${metadata.namespace}/secrets?labelSelector=${selector}`);
  const known = secrets.find(({ data }) => Buffer.from(data?.url ?? "", "base64").toString("utf8") === repoURL);
  if (/^https?:/.test(repoURL) || known?.data?.sshPrivateKey) return undefined;
  const why = `failed to list refs: error creating SSH agent: "SSH agent requested but SSH_AUTH_SOCK not-specified"`;
  return `Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = ${why}`;
}
