import { ownCommand } from "@talosmith/lib/own-command.ts";
import type { ReleasePart } from "../../catalog/addons/addon.ts";
import type { Check, Finding } from "../../engine/step.ts";
import { gitOpsReleases, ownerOfRelease } from "../../kubernetes/gitops.ts";
import { releaseContents } from "../../kubernetes/helm/release-contents.ts";
import { releaseProblems } from "../../kubernetes/helm/release-up.ts";
import { decodeRelease, latestRecord, recordsOf } from "../../kubernetes/helm/stored-release.ts";
import type { Secret } from "../../kubernetes/objects.ts";
import type { Around } from "../../kubernetes/pod-state.ts";
import type { Cluster } from "./cluster.ts";
import { verifyCheck } from "./verify-check.ts";
import { lacksNetwork, leftOut } from "./without-cni.ts";

/** Checks that all objects of the addons' releases are up. */
export function addonsUp(cluster: Cluster): Check {
  const releases = releasesOf(cluster);
  return verifyCheck(cluster, {
    id: "addons",
    title: "addons",
    until: "the addons are up",
    needs: "addons",
    look: async (see, c) => {
      if (await lacksNetwork(cluster, see)) return leftOut("addons");
      const around = { nodes: await see.kubernetesNodes(), now: c.world.clock.now() };
      const owners = await gitOpsReleases(cluster.kubernetes, c.signal);
      const findings = releases.map(async (release): Promise<Finding[]> => {
        const owner = ownerOfRelease(owners, release);
        if (owner !== undefined) return [{ level: "ok", code: "ADDON", message: `${release.name}: managed by ${owner}` }];
        return releaseFindings(cluster, release, around, c.signal);
      });
      return (await Promise.all(findings)).flat();
    },
  });
}

export function releasesOf({ env }: Pick<Cluster, "env">): ReleasePart[] {
  const installed = env.config.addons.all.filter(({ name }) => !env.upgrade?.withheld.includes(name));
  return installed.flatMap(({ parts }) => parts.filter((part) => part.kind === "release"));
}

async function releaseFindings(
  { kubernetes, env }: Cluster,
  release: ReleasePart,
  around: Around,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { name, namespace } = release;
  const record = latestRecord(await kubernetes.list<Secret>(recordsOf(release, "current"), signal));
  const again = ownCommand("up", env.shown);
  if (!record) return [wrong(name, "Helm has no record of it: it is not installed", again)];
  const { status, version } = decodeRelease(record);
  if (status !== "deployed") return [wrong(name, `Helm says that it is ${status}`, again)];
  const problems = await releaseProblems(kubernetes, releaseContents(record), signal, around);
  if (problems.length === 0) return [{ level: "ok", code: "ADDON", message: `${name} ${version}: up` }];
  // A webhook or an API is missing for as long as the pods behind it.
  const isComing = problems.some(({ coming }) => coming) && !problems.some(({ hopeless }) => hopeless);
  return problems.map(({ subject, problem, hint, hopeless }) => ({
    ...wrong(name, `${subject} ${problem}`, hopeless?.hint ?? hint ?? `kubectl -n ${namespace} get pods,events`),
    ...(isComing && { coming: true as const }),
  }));
}

function wrong(name: string, problem: string, hint: string): Finding {
  return { level: "fail", code: "ADDON", message: `${name}: ${problem}`, hint };
}
