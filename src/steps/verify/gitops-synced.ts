import type { Check, Finding } from "../../engine/step.ts";
import { GITOPS_KINDS, isSyncing, type Synced, syncProblem } from "../../kubernetes/health-gitops.ts";
import type { Cluster } from "./cluster.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Checks that the cluster matches the GitOps repository; differences are warnings. */
export function gitopsSynced(cluster: Cluster): Check {
  const { kubernetes, env } = cluster;
  const own = new Set(ownObjects(env.config.addons.all).map(keyOf));
  return verifyCheck(cluster, {
    id: "gitops",
    title: "GitOps sync",
    until: "the cluster matches the repository",
    needs: "addons",
    look: async (_, { signal }) => {
      const lists = GITOPS_KINDS.map(async (kind) =>
        (await kubernetes.knows(kind, signal)) ? kubernetes.list<Synced>(kind, signal) : [],
      );
      const all = (await Promise.all(lists)).flat();
      const findings = all.flatMap((object): Finding[] => {
        const problem = syncProblem(object);
        if (problem === undefined) return [];
        const { namespace, name } = object.metadata;
        const level = own.has(keyOf(object)) ? "fail" : "warn";
        const hint = `kubectl -n ${namespace} describe ${object.kind.toLowerCase()} ${name}`;
        const message = `${object.kind} ${namespace}/${name} ${problem}`;
        return [{ level, code: "GITOPS", message, hint, ...(isSyncing(object) && { coming: true }) }];
      });
      const fine =
        all.length === 0
          ? "no GitOps objects yet"
          : `${all.length} ${all.length === 1 ? "object matches" : "objects match"} the repository`;
      return orFine(findings, "GITOPS", fine);
    },
  });
}

export function followsRepository({ env }: Pick<Cluster, "env">): boolean {
  return env.config.addons.all.some(({ tier }) => tier === "gitops");
}

interface Named {
  kind: string;
  metadata: { namespace?: string; name: string };
}

type Addons = Cluster["env"]["config"]["addons"]["all"];

function ownObjects(addons: Addons): Named[] {
  return addons.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "objects" ? part.objects : [])));
}

const keyOf = ({ kind, metadata }: Named) => `${kind} ${metadata.namespace}/${metadata.name}`;
