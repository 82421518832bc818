import type { Finding } from "../../engine/step.ts";

/**
 * The finding for a machine whose host is offline. Nothing else is done: it may run again with its host, and a second machine would have the same
 * address.
 */
export function hostOffline(subject: string, host: string): Finding {
  return {
    level: "fail",
    code: "HOST_OFFLINE",
    message: `${subject}: its host ${host} is offline`,
    hint: `bring ${host} back, and run the command again; if it is gone for good, restore its machines elsewhere or take ${host} out of the Proxmox cluster first`,
  };
}
