import { type Deletion, deletionsIn } from "../../../engine/deletion.ts";
import { type Step, step } from "../../../engine/step.ts";
import { isUnreachable } from "../client/refusal.ts";
import { deletionsOf } from "../deletions.ts";
import { lockNotes, unlocked } from "../locked-vm.ts";
import { type Doomed, protectionOf, removeVm } from "../machine-end.ts";
import { readMark } from "../mark.ts";
import { hostOffline } from "../offline.ts";
import { isOurs } from "../scan.ts";
import { type FoundVm, settledVm } from "../settled-vm.ts";
import type { Site } from "../site.ts";

/**
 * Limits concurrent removals. Proxmox locks a storage for each disk it frees, a shared one for all hosts. A task that does not get the lock in ten
 * seconds leaves the disk behind with only a warning.
 */
const AT_ONCE = { key: "removals on shared storages", limit: 10 };

interface Leaving {
  vm: FoundVm;
  /** The volumes that are deleted with it. */
  deletes: readonly Deletion[];
}

/** Removes a machine that is no longer wanted. A VM without this environment's mark counts as gone; an unreachable one does not. */
export function machineRemoval(site: Site, doomed: Doomed, consent: string | undefined): Step<Leaving | "unreachable", void> {
  const { name, vmid, host, environment, cluster } = doomed;
  const id = `removal/${name}`;
  const subject = `machine ${name}`;
  let last: FoundVm | "unreachable" | undefined;
  return step<Leaving | "unreachable", void>({
    id,
    stage: "provision",
    title: `removal of machine ${name}`,
    lanes: () => [{ key: `removals on ${host}`, limit: 4 }, AT_ONCE],
    observe: async (c) => {
      const vm = (await site.places.isStillOffline(c, host))
        ? "unreachable"
        : await settledVm(site.client, c, host, vmid).catch((error: unknown) => {
            if (!isUnreachable(error)) throw error;
            return "unreachable" as const;
          });
      last = undefined;
      if (vm === "unreachable") {
        last = vm;
        return { is: "present", actual: vm, owner: "us" };
      }
      if (vm === "absent" || vm === "stuck") return { is: "absent" };
      const mark = readMark(vm.config.next.description);
      if (!isOurs(mark, vmid, environment, cluster)) return { is: "absent" };
      last = vm;
      const refused = protectionOf(site, name, vm);
      if (refused) return { is: "unreadable", why: refused };
      return { is: "present", actual: { vm, deletes: await deletionsOf(site, c, vm, mark) }, owner: "us" };
    },
    plan: (seen) => {
      if (!("is" in seen) || seen.is !== "present") return [];
      const fields = [{ path: "where", from: `VM ${vmid} on ${host}`, to: null }];
      const deletes = seen.actual === "unreachable" ? [] : seen.actual.deletes;
      const change = { id, step: id, verb: "delete", subject, fields, deletes } as const;
      return [{ ...change, ...(consent !== undefined && { needsConsent: consent }) }];
    },
    notes: (seen) => (seen.is === "present" && seen.actual !== "unreachable" ? lockNotes(name, seen.actual.vm) : []),
    guard: async (_, c) => {
      // Observed right before this.
      if (last === "unreachable") return [hostOffline(subject, host)];
      return last ? unlocked(site, c, name, last) : [];
    },
    apply: (changes, c) => removeVm(site, c, doomed, deletionsIn(changes)),
    output: () => undefined,
  });
}
