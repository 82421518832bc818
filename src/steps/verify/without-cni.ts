import type { Finding } from "../../engine/step.ts";
import type { Problem } from "../../kubernetes/health.ts";

/** With `cni: none` pods have no network until somebody installs one: worth saying, and no fault of the cluster. */
export function withoutCni(problems: readonly Problem[]): Finding[] {
  return problems.map(({ subject, problem }) => ({
    level: "warn",
    code: "NO_CNI",
    message: `${subject}: ${problem}; cluster.cni is none, so it waits for a CNI`,
    hint: "install a CNI, or set cluster.cni: cilium",
  }));
}
