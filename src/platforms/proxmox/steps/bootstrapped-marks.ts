import { isLater, known, type Ref, type Step, step } from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { Inventory } from "../../platform.ts";
import { updateVm } from "../client/qemu.ts";
import { taskDone } from "../client/tasks.ts";
import { replaceMark } from "../mark.ts";
import type { Site } from "../site.ts";
import { machineStepId } from "./machine.ts";

/** The output of the step that bootstraps etcd. */
const etcd: Ref<unknown> = { step: "bootstrap/etcd" };

const TASK_LIMIT_MS = 5 * 60_000;

/**
 * Records in the control planes' marks that etcd was bootstrapped, so that the loss of all its data is never mistaken for a new cluster. Written
 * afterwards: a run that dies in between finds etcd's data.
 */
export function bootstrappedMarks(site: Site, found: Inventory): Step<string[], void> {
  const id = "bootstrap/marks";
  const subject = "record of the bootstrap in VM notes";
  const names = site.env.config.nodes.filter((node) => node.role === "controlplane").map((node) => node.name);
  return step({
    id,
    stage: "bootstrap",
    title: subject,
    needs: [environmentId, etcd, ...names.map((name) => ({ step: machineStepId(name) }))],
    observe: async (c) => {
      if (found.owned.length === 0) known(c, etcd);
      const environment = known(c, environmentId);
      const places = await Promise.all(names.map((name) => site.places.find(c, environment, name)));
      // A machine that is to be replaced keeps the old mark only until it is removed.
      const unmade = (name: string) => !found.there.has(name) && isLater(c.get({ step: machineStepId(name) }));
      const without = names.filter((name, at) => places[at]?.machine?.mark.bootstrapped !== true || unmade(name));
      return { is: "present", actual: without, owner: "us" };
    },
    plan: (seen) => {
      const without = "is" in seen && seen.is === "present" ? seen.actual : names;
      const fields = without.map((name) => ({ path: name, from: null, to: "etcd was bootstrapped" }));
      return fields.length === 0 ? [] : [{ id, step: id, verb: "update", subject, fields }];
    },
    apply: async (_, c) => {
      const environment = known(c, environmentId);
      for (const name of names) {
        const { machine } = await site.places.find(c, environment, name);
        if (!machine || machine.mark.bootstrapped) continue;
        const { vmid, host, config } = machine;
        const description = replaceMark(config.next.description ?? "", { ...machine.mark, bootstrapped: true });
        const what = `mark ${name} as bootstrapped`;
        const upid = await c.mutate({ key: `vm ${vmid}`, what }, () =>
          updateVm(site.client, host, vmid, { description, digest: config.digest }),
        );
        if (upid) await taskDone(site.client, c, upid, what, TASK_LIMIT_MS);
      }
    },
    output: () => undefined,
  });
}
