import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, longest first. A long file that starts last leaves the other workers idle. */
const SLOW = [
  "e2e/documents",
  "e2e/runbooks",
  "e2e/machines",
  "e2e/demo",
  "e2e/addons",
  "e2e/clusters",
  "e2e/secrets",
  "e2e/examples",
  "e2e/talos",
  "lifecycle/departure",
  "lifecycle/addons-recovery",
  "lifecycle/fault",
  "lifecycle/change-recovery",
  "lifecycle/crash",
  "lifecycle/seeds",
  "lifecycle/operation-recovery",
  "lifecycle/maintenance",
  "lifecycle/cluster-fault",
  "lifecycle/takeover-crash",
  "lifecycle/takeover-fault",
  "lifecycle/cluster-crash",
  "lifecycle/verify",
  "lifecycle/cluster-kill",
  "lifecycle/takeover",
  "lifecycle/under-way",
  "lifecycle/power",
  "lifecycle/addons",
  "shell/shell.integration",
  "helm/helm.integration",
  "rights/minimal.integration",
  "config/huge.integration",
  "config/mutations.integration",
];

const rank = ({ moduleId }: TestSpecification) => {
  const at = SLOW.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
  return at === -1 ? SLOW.length : at;
};

/** Starts slow files first; the others follow in vitest's own order. */
export default class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
