import type { Finding } from "../../engine/step.ts";
import { listOf, memberOf, textOf } from "../api/spec.ts";
import type { Resource } from "../api/talos-node.ts";
import { type Asked, judged } from "./asked.ts";

/* What nodes report about themselves as resources. */

export const DIAGNOSTICS = { namespace: "runtime", type: "Diagnostics.runtime.talos.dev" };
export const MACHINE_STATUS = { namespace: "runtime", type: "MachineStatuses.runtime.talos.dev", id: "machine" };
export const STATIC_PODS = { namespace: "k8s", type: "StaticPodStatuses.kubernetes.talos.dev" };

/** Talos' check 7: it knows of some mistakes by itself, and lists them until they are gone. */
export function diagnoses(asked: readonly Asked<readonly Resource[]>[]): Finding[] {
  return judged(asked, (found, { name }) =>
    found.map(({ id, spec }) => {
      const details = listOf(spec, "details").map(String);
      const message = `${name}: ${textOf(spec, "message") ?? id}${details.length > 0 ? ` (${details.join("; ")})` : ""}`;
      const hint = `https://talos.dev/diagnostic/${id} explains it`;
      return { level: "fail", code: "DIAGNOSTIC", message, hint };
    }),
  );
}

/** Stages that a machine leaves by itself. */
const PASSING: ReadonlySet<string> = new Set(["booting", "installing", "rebooting", "upgrading"]);

const stageOf = (status: Resource | undefined) => textOf(status?.spec, "stage");

export function isBooting(status: Resource | undefined): boolean {
  return PASSING.has(stageOf(status) ?? "");
}

/** Talos' check 9: the node has booted; otherwise lists the conditions it waits for. */
export function notBooted(asked: readonly Asked<Resource | undefined>[]): Finding[] {
  return judged(asked, (status, { name }) => {
    const stage = stageOf(status);
    if (stage === "running") return [];
    const unmet = listOf(memberOf(status?.spec, "status"), "unmetConditions").map(
      (one) => `${textOf(one, "name")}: ${textOf(one, "reason") ?? "not met"}`,
    );
    const waits = unmet.length > 0 ? `; ${unmet.join("; ")}` : "";
    const message = `${name} is ${stage ?? "in an unknown stage"}${waits}`;
    return [{ level: "fail", code: "NOT_BOOTED", message, ...(isBooting(status) && { coming: true }) }];
  });
}

/** Talos' check 11: the control plane's three programs run on each control plane, as the node itself sees it. */
export function missingStaticPods(asked: readonly Asked<readonly Resource[]>[], programs: readonly string[]): Finding[] {
  return judged(asked, (pods, { name }) => {
    const missing = programs.filter((program) => !pods.some(({ id }) => id.startsWith(`kube-system/${program}`)));
    if (missing.length === 0) return [];
    return [{ level: "fail", code: "STATIC_PODS", message: `${name} does not run ${missing.join(", ")}` }];
  });
}
