import { remoteError } from "@talosmith/lib/errors.ts";
import { type Step, step } from "../../../engine/step.ts";
import type { Stored } from "../../platform.ts";
import { deleteVm } from "../client/qemu.ts";
import { taskDone } from "../client/tasks.ts";
import { type FoundVm, settledVm } from "../settled-vm.ts";
import type { Site } from "../site.ts";
import { foreignDisks, readTemplateMark } from "../template.ts";

const TASK_LIMIT_MS = 10 * 60_000;

/** Removes a template of talosmith that is no longer needed. A VM that is not such a template counts as gone. */
export function templateRemoval(site: Site, stored: Stored, host: string, vmid: number): Step<FoundVm, void> {
  const { client } = site;
  const id = `removal/${host}/template ${vmid}`;
  const subject = `template ${stored.name} on ${stored.where}`;
  const isIt = (vm: FoundVm | "absent" | "stuck"): vm is FoundVm =>
    typeof vm !== "string" && readTemplateMark(vm.config.next.description, vmid)?.template === stored.name;
  return step({
    id,
    stage: "image",
    title: `removal of ${subject}`,
    observe: async (c) => {
      const vm = await settledVm(client, c, host, vmid);
      return isIt(vm) ? { is: "present", actual: vm, owner: "shared" } : { is: "absent" };
    },
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [];
      return [{ id, step: id, verb: "delete", subject, fields: [{ path: "where", from: `VM ${vmid} on ${host}`, to: null }] }];
    },
    apply: async (_, c) => {
      const vm = await settledVm(client, c, host, vmid);
      if (vm === "absent") return;
      if (!isIt(vm) || vm.running)
        throw remoteError("NOT_OURS", {
          message: `Unable to remove VM ${vmid} on ${host}: it is no longer a template that talosmith made`,
          hint: "check it in the Proxmox UI; nothing was changed",
        });
      const [theirs] = await foreignDisks(client, c, vm);
      if (theirs)
        throw remoteError("NOT_OURS", {
          message: `Unable to remove VM ${vmid} on ${host}: it has a disk that talosmith did not make`,
          detail: `${theirs.slot}: ${theirs.volume}`,
          hint: "remove the template in the Proxmox UI when the disk is no longer needed; nothing was changed",
        });
      const what = `remove ${subject}`;
      const upid = await c.mutate({ key: `vm ${vmid}`, what }, () => deleteVm(client, host, vmid));
      await taskDone(client, c, upid, what, TASK_LIMIT_MS);
    },
    output: () => undefined,
  });
}
