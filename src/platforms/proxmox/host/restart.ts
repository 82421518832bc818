import { isTransient, messageOf } from "@talosmith/lib/errors.ts";
import { type Check, check, type Finding, isLater, known, type Ref, type Step, step } from "../../../engine/step.ts";
import { list, text } from "../client/loose.ts";
import { type Iommu, lookAtIommu } from "./iommu.ts";
import type { Root } from "./root.ts";
import { pvesh } from "./survey.ts";
import type { HostWish } from "./wish.ts";

const BOOT_ID = "cat /proc/sys/kernel/random/boot_id";
export const BACK_WITHIN_MS = 15 * 60_000;

/** Reboots a host that the user named, so that its changes take effect. One host at a time. */
export function restart(root: Root, host: string, wish: HostWish, before: Ref<Iommu>, also: Ref<unknown>): Step<Iommu, Iommu> {
  const id = `host/${host}/restart`;
  const subject = `host ${host}`;
  const change = { id, step: id, verb: "restart" as const, subject, fields: [{ path: "runs", from: null, to: "reboot" }] };
  const shell = root.on(host);
  return step<Iommu, Iommu>({
    id,
    stage: "preflight",
    title: subject,
    needs: [before, also],
    lanes: () => [{ key: "restarts of hosts", limit: 1 }],
    observe: async (c) => {
      known(c, before);
      return { is: "present", actual: await lookAtIommu(shell), owner: "shared" };
    },
    plan: (seen) => {
      return "later" in seen || (seen.is === "present" && !seen.actual.inEffect) ? [change] : [];
    },
    guard: () => runningGuests(root, host, wish),
    apply: async (_, c) => {
      const boot = (await shell.look("see when it booted", BOOT_ID)).trim();
      await c.mutate({ key: subject, what: `reboot ${host}` }, async () => {
        await shell.run("reboot it", "reboot").catch((error: unknown) => {
          // The response may be lost when the host goes down.
          if (!isTransient(error)) throw error;
        });
        return undefined;
      });
      await c.until({
        name: `${host} is back`,
        timeoutMs: BACK_WITHIN_MS,
        poll: async () => {
          try {
            const now = await shell.ask(BOOT_ID);
            if (now.code !== 0) return { reason: "it does not answer" };
            return now.stdout.trim() !== boot || { reason: "it is still shutting down" };
          } catch (error) {
            return { reason: messageOf(error) };
          }
        },
      });
    },
    output: ({ on, inEffect }) => ({ on, inEffect }),
  });
}

/** Refuses the reboot of a host with running machines before anything is changed, when a reboot is already known to be needed. */
export function undisturbed(root: Root, host: string, wish: HostWish, before: Ref<Iommu>): Check {
  return check({
    id: `host/${host}/guests`,
    stage: "preflight",
    title: `machines on ${host}, which may be rebooted`,
    needs: [before],
    run: async (c) => {
      const iommu = c.get(before);
      return isLater(iommu) || !iommu.inEffect ? runningGuests(root, host, wish) : [];
    },
  });
}

async function runningGuests(root: Root, host: string, wish: HostWish): Promise<Finding[]> {
  if (wish.withGuests) return [];
  const guests = await Promise.all(
    ["qemu", "lxc"].map((kind) => root.entry.json(`list the machines on ${host}`, pvesh(`/nodes/${host}/${kind}`))),
  );
  const running = guests.flatMap((items) => list(items, "the machines").filter((item) => item.status === "running"));
  if (running.length === 0) return [];
  return [
    {
      level: "fail",
      code: "GUESTS_RUNNING",
      message: `${host} runs ${running.map((item) => `${text(item.vmid) ?? ""} (${text(item.name) ?? "no name"})`).join(", ")}`,
      hint: `shut them down first, or add --with-guests: Proxmox then shuts them down itself. Nothing was rebooted`,
    },
  ];
}
