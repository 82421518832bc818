import type { Finding } from "../../engine/step.ts";

/** Nothing is done about a machine whose host is down: it may run again with it, and a second one would have the same address. */
export function hostOffline(subject: string, host: string): Finding {
  return {
    level: "fail",
    code: "HOST_OFFLINE",
    message: `${subject}: its host ${host} is offline`,
    hint: `bring ${host} back, and run the command again; if it is gone for good, restore its machines elsewhere or take ${host} out of the Proxmox cluster first`,
  };
}
