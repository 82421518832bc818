import { remoteError } from "@talosmith/lib/errors.ts";
import type { Condition } from "../../engine/step.ts";
import type { KubernetesClient } from "../client/kubernetes-client.ts";
import { kubernetesCondition } from "../conditions.ts";
import type { Problem } from "../health.ts";
import type { KubernetesObject, Secret, StatusCondition } from "../objects.ts";
import { type Around, imageTrouble, isPodComing, isPodReady } from "../pod-state.ts";
import { podsOf, rolloutOf, WORKLOADS, type WorkloadKind, workloadTrouble } from "../workloads.ts";
import { type ReleaseContents, releaseContents } from "./release-contents.ts";
import { latestRecord, recordsOf } from "./stored-release.ts";

/** Set for a problem that waiting does not resolve, with its hint. */
export interface ReleaseProblem extends Problem {
  hopeless?: { hint: string };
}

/** Waits until all objects in a release's record are up: workloads rolled out, Jobs complete, CRDs established, webhooks backed by ready pods. */
export function releaseUp(kube: KubernetesClient, release: ReleaseName, timeoutMs: number, graceMs: number): Condition {
  const load = async (signal: AbortSignal) => {
    const record = latestRecord(await kube.list<Secret>(recordsOf(release, "current"), signal));
    return record && releaseContents(record);
  };
  return contentsUp(kube, release.name, load, timeoutMs, graceMs);
}

/** Waits until objects that were not installed by Helm are up. */
export function objectsUp(kube: KubernetesClient, contents: ReleaseContents, timeoutMs: number, graceMs: number): Condition {
  return contentsUp(kube, contents.name, async () => contents, timeoutMs, graceMs);
}

interface ReleaseName {
  name: string;
  namespace: string;
}

type Load = (signal: AbortSignal) => Promise<ReleaseContents | undefined>;

function contentsUp(kube: KubernetesClient, name: string, load: Load, timeoutMs: number, graceMs: number): Condition {
  let contents: ReleaseContents | undefined;
  let hopelessSince: number | undefined;
  return kubernetesCondition(`${name} is up`, timeoutMs, async ({ signal, world }) => {
    contents ??= await load(signal);
    if (!contents) return { reason: `Helm has no record of ${name}` };
    const problems = await releaseProblems(kube, contents, signal);
    const [first] = problems;
    if (!first) return true;
    const worst = problems.find(({ hopeless }) => hopeless);
    const now = world.clock.monotonic();
    hopelessSince = worst ? (hopelessSince ?? now) : undefined;
    if (worst?.hopeless && now - (hopelessSince ?? now) >= graceMs) throw stuck(name, worst, worst.hopeless.hint);
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    return { reason: `${(worst ?? first).subject} ${(worst ?? first).problem}${more}` };
  });
}

function stuck(name: string, { subject, problem }: ReleaseProblem, hint: string) {
  return remoteError("ADDON_STUCK", {
    message: `Unable to start ${name}: ${subject} cannot start`,
    detail: `${subject} ${problem}`,
    hint,
  });
}

/** The objects that are not up yet. `around`: to see which of them are on their way. */
export async function releaseProblems(
  kube: KubernetesClient,
  { namespace, objects }: ReleaseContents,
  signal: AbortSignal,
  around?: Around,
): Promise<ReleaseProblem[]> {
  const see = seeing(kube, signal);
  const judged = objects.map((object): Promise<ReleaseProblem | undefined> | undefined => {
    if (isWorkload(object)) return workloadProblem(kube, see, object, signal, around);
    switch (object.kind) {
      case "Job":
        return jobProblem(see, object);
      case "CustomResourceDefinition":
        return conditionProblem(see, object, "Established");
      case "APIService":
        return conditionProblem(see, object, "Available");
      case "ValidatingWebhookConfiguration":
      case "MutatingWebhookConfiguration":
        return webhookProblem(see, object, namespace);
      default:
        return undefined;
    }
  });
  return (await Promise.all(judged)).filter((problem) => problem !== undefined);
}

const isWorkload = ({ kind }: KubernetesObject) => WORKLOADS.includes(kind as WorkloadKind);

type See = <T extends KubernetesObject>(object: { apiVersion: string; kind: string; namespace?: string }) => Promise<T[]>;

/** One list for all objects of a kind and namespace. */
function seeing(kube: KubernetesClient, signal: AbortSignal): See {
  const lists = new Map<string, Promise<KubernetesObject[]>>();
  return <T extends KubernetesObject>({ apiVersion, kind, namespace }: Parameters<See>[0]) => {
    const key = `${apiVersion} ${kind} ${namespace ?? ""}`;
    const listing = lists.get(key) ?? kube.list({ apiVersion, kind, ...(namespace !== undefined && { namespace }) }, signal);
    lists.set(key, listing);
    return listing as Promise<T[]>;
  };
}

async function find<T extends KubernetesObject>(see: See, { apiVersion, kind, metadata }: KubernetesObject, everywhere = false) {
  const { namespace, name } = metadata;
  const listed = await see<T>({ apiVersion, kind, ...(!everywhere && namespace !== undefined && { namespace }) });
  return listed.find((one) => one.metadata.name === name);
}

async function workloadProblem(
  kube: KubernetesClient,
  see: See,
  object: KubernetesObject,
  signal: AbortSignal,
  around: Around | undefined,
): Promise<ReleaseProblem | undefined> {
  const subject = `${object.kind} ${object.metadata.namespace}/${object.metadata.name}`;
  const live = await find(see, object);
  if (!live) return { subject, problem: "does not exist" };
  const { is, of, done } = rolloutOf(live);
  if (done) return undefined;
  const pods = await podsOf(kube, live, signal);
  const trouble = await workloadTrouble(kube, live, pods, signal);
  const problem = `has ${is} of ${of} pods ready${trouble ? `, ${trouble.words}` : ""}`;
  const hint = trouble && (imageTrouble(trouble.pod) ?? podSecurityHint(trouble.words, object.metadata.namespace ?? ""));
  const unready = pods.filter((pod) => !isPodReady(pod));
  const isComing = around !== undefined && unready.length > 0 && unready.every((pod) => isPodComing(pod, around));
  return { subject, problem, ...(hint !== undefined && { hopeless: { hint } }), ...(isComing && { coming: true }) };
}

/** PodSecurity refuses pods at their creation; only their controller reports it. */
export function podSecurityHint(words: string, namespace: string): string | undefined {
  if (!/violates PodSecurity/.test(words)) return undefined;
  const label = "pod-security.kubernetes.io/enforce: privileged";
  return `to allow this, label the namespace: namespaceLabels: { ${label} } for a chart, or kubectl label namespace ${namespace} ${label.replace(": ", "=")}`;
}

interface WithConditions extends KubernetesObject {
  status?: { conditions?: StatusCondition[] };
}

const isTrue = (object: WithConditions, type: string) =>
  object.status?.conditions?.find((one) => one.type === type)?.status === "True";

/** A finished Job may have been deleted by its time limit. */
async function jobProblem(see: See, object: KubernetesObject): Promise<ReleaseProblem | undefined> {
  const live = await find<WithConditions>(see, object);
  if (!live || isTrue(live, "Complete")) return undefined;
  const subject = `Job ${object.metadata.namespace}/${object.metadata.name}`;
  const failed = live.status?.conditions?.find((one) => one.type === "Failed" && one.status === "True");
  if (!failed) return { subject, problem: "has not ended" };
  const hint = `its log says more: kubectl --namespace ${object.metadata.namespace} logs job/${object.metadata.name}`;
  return { subject, problem: `failed: ${failed.message ?? failed.reason ?? "no reason given"}`, hopeless: { hint } };
}

async function conditionProblem(see: See, object: KubernetesObject, type: string): Promise<ReleaseProblem | undefined> {
  const live = await find<WithConditions>(see, object, true);
  const subject = `${object.kind} ${object.metadata.name}`;
  if (!live) return { subject, problem: "does not exist" };
  if (isTrue(live, type)) return undefined;
  const why = live.status?.conditions?.find((one) => one.type === type)?.message;
  return { subject, problem: `is not ${type}${why ? `: ${why}` : ""}` };
}

interface Webhooks extends KubernetesObject {
  webhooks?: { clientConfig?: { service?: { namespace: string; name: string } } }[] | null;
}

interface EndpointSlice extends KubernetesObject {
  endpoints?: { conditions?: { ready?: boolean } }[] | null;
}

const SERVICE_NAME = "kubernetes.io/service-name";

/** A webhook's Service needs a ready pod, or no matching object can be created. */
async function webhookProblem(see: See, object: KubernetesObject, home: string): Promise<ReleaseProblem | undefined> {
  const services = ((object as Webhooks).webhooks ?? []).flatMap(({ clientConfig }) => clientConfig?.service ?? []);
  for (const { namespace = home, name } of services) {
    const slices = await see<EndpointSlice>({ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace });
    const its = slices.filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name);
    const answers = its.some(({ endpoints }) => endpoints?.some(({ conditions }) => conditions?.ready !== false));
    if (!answers)
      return {
        subject: `${object.kind} ${object.metadata.name}`,
        problem: `calls Service ${namespace}/${name}, which has no ready pod`,
      };
  }
  return undefined;
}
