import type { Json } from "@talosmith/lib/json.ts";
import { type Condition, type Known, known, type Ref, type Step, step } from "../../../engine/step.ts";
import { environmentId } from "../../../environment/environment.ts";
import type { Inventory, MachineFacts } from "../../platform.ts";
import type { Params } from "../client/client.ts";
import { updateVm } from "../client/qemu.ts";
import { taskDone } from "../client/tasks.ts";
import type { ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { ISO_DRIVE, installationIso } from "../installation-iso.ts";
import type { Machine } from "../machine.ts";
import type { Site } from "../site.ts";
import { machineStepId } from "./machine.ts";

/** The output of the step that applies the node's config. */
const configured = (node: string): Ref<unknown> => ({ step: `bootstrap/config/${node}` });

const MINUTE = 60_000;

/**
 * Detaches the ISO of an installed machine: a later start from it would stop, because Talos is already on the disk. Proxmox removes the drive of a
 * running machine at its next power cycle, and from the boot order with it.
 */
export function isoDetached(site: Site, node: ProxmoxNodeConfig, found: Inventory): Step<Machine, void> {
  const id = `bootstrap/iso/${node.name}`;
  const subject = `installation ISO of ${node.name}`;
  const machine: Ref<MachineFacts> = { step: machineStepId(node.name) };
  const change = (from: Known<Json>) => [
    { id, step: id, verb: "update" as const, subject, fields: [{ path: "ISO", from, to: "detached" }] },
  ];
  return step({
    id,
    stage: "bootstrap",
    title: subject,
    needs: [environmentId, machine, configured(node.name)],
    observe: async (c) => {
      if (!found.there.has(node.name)) known(c, machine);
      const place = await site.places.find(c, known(c, environmentId), node.name);
      return place.machine ? { is: "present", actual: place.machine, owner: "us" } : { is: "absent" };
    },
    plan: (seen) => {
      if ("later" in seen) return change(seen);
      const iso = seen.is === "present" ? installationIso(seen.actual.config.next) : undefined;
      return iso === undefined ? [] : change(iso);
    },
    apply: async (_, c) => {
      await c.until(runsFromDisk(site, node));
      const place = await site.places.find(c, known(c, environmentId), node.name);
      if (!place.machine) return;
      const { vmid, host, config } = place.machine;
      const update = async (what: string, params: Params) => {
        const upid = await c.mutate({ key: `vm ${vmid}`, what }, () => updateVm(site.client, host, vmid, params));
        if (upid) await taskDone(site.client, c, upid, what, 5 * MINUTE);
      };
      const detach = { delete: ISO_DRIVE };
      const what = `detach the installation ISO of ${node.name}`;
      if (config.next.protection !== "1") return update(what, { ...detach, digest: config.digest });
      // Proxmox removes no drive from a protected machine. When a run ends in between, the machine's own step completes this.
      await update(`lift the protection of ${node.name}`, { protection: 0, digest: config.digest });
      await update(what, detach);
      await update(`protect ${node.name} again`, { protection: 1 });
    },
    output: () => undefined,
  });
}

/** Waits until the node runs from its disk: after it got its config, it may still run from the ISO. */
function runsFromDisk({ talos }: Site, { name, ip }: ProxmoxNodeConfig): Condition {
  return {
    name: `${name} runs from its disk`,
    timeoutMs: 15 * MINUTE,
    poll: async ({ signal }) => {
      const answering = await talos.ask(ip, (api) => api.disks(signal), signal);
      if (answering.is !== "ours") return { reason: answering.is === "waiting" ? "it waits for a config" : answering.why };
      return answering.answer.some((disk) => disk.isSystem) ? true : { reason: "Talos is not installed on any of its disks yet" };
    },
  };
}
