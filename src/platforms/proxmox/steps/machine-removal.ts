import { type Step, step } from "../../../engine/step.ts";
import { type Doomed, removeVm } from "../machine-work.ts";
import { readMark } from "../mark.ts";
import { isOurs } from "../scan.ts";
import { type FoundVm, settledVm } from "../settled-vm.ts";
import type { Site } from "../site.ts";

/** A machine of ours that should not be there any more. A VM that is not, or no longer, ours counts as gone. */
export function machineRemoval(site: Site, doomed: Doomed, consent: string | undefined): Step<FoundVm, void> {
  const { name, vmid, host, environment, cluster } = doomed;
  const id = `removal/${name}`;
  const subject = `machine ${name}`;
  return step({
    id,
    stage: "provision",
    title: `removal of machine ${name}`,
    observe: async (c) => {
      const vm = await settledVm(site.client, c, host, vmid);
      if (vm === "absent") return { is: "absent" };
      const ours = vm !== "stuck" && isOurs(readMark(vm.config.next.description), vmid, environment, cluster);
      return ours ? { is: "present", actual: vm, owner: "us" } : { is: "absent" };
    },
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [];
      const fields = [{ path: "where", from: `VM ${vmid} on ${host}`, to: null }];
      return [{ id, step: id, verb: "delete", subject, fields, ...(consent !== undefined && { needsConsent: consent }) }];
    },
    apply: (_, c) => removeVm(site, c, doomed),
    output: () => undefined,
  });
}
