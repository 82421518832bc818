import { answering } from "../kernel/answer.ts";
import type { Endpoint, Lab, Service } from "../kernel/kernel.ts";
import { createRouter } from "../kernel/router.ts";
import { ensureCertificates } from "./certificate.ts";
import { fingerprintOf } from "./hosts.ts";
import { CLIENT, CLIENT_TOKEN, initialState, type ProxmoxOptions } from "./initial.ts";
import { createFetching } from "./jobs/fetching.ts";
import type { Effects } from "./jobs/job.ts";
import { jobTransitions } from "./jobs/runner.ts";
import { routes } from "./routes/routes.ts";
import { proxmoxState, SERVICE } from "./state.ts";
import { fileEffects } from "./storage/files.ts";
import { proxmoxConversation } from "./transport/server.ts";
import { updateEffects } from "./vm/apply-update.ts";
import { cloneEffects } from "./vm/clone.ts";
import { cloneDiskEffects } from "./vm/clone-disk.ts";
import { createEffects } from "./vm/create.ts";
import { destroyEffects } from "./vm/destroy.ts";
import { diskEffects } from "./vm/disk-steps.ts";
import { migrateEffects } from "./vm/migrate.ts";
import { powerEffects, RESTART, restartTransition } from "./vm/power.ts";
import { resizeEffects } from "./vm/resize.ts";
import { templateEffects } from "./vm/template.ts";

export const PROXMOX_PORT = 8006;

/** How often a download looks whether its bytes are there, in virtual milliseconds. */
const LOOK_FOR_BYTES = 500;

const effects: Effects = {
  ...cloneDiskEffects,
  ...cloneEffects,
  ...createEffects,
  ...destroyEffects,
  ...diskEffects,
  ...fileEffects,
  ...migrateEffects,
  ...powerEffects,
  ...resizeEffects,
  ...templateEffects,
  ...updateEffects,
};

/** A Proxmox VE cluster (proxmox.md): any of its hosts answers for all of them. */
export function proxmoxService(options: ProxmoxOptions = {}): Service {
  const router = createRouter(routes.map((method) => ({ method: method.method, pattern: method.path, handler: method })));
  return {
    name: SERVICE,
    initial: (lab) => initialState(lab, options),
    transitions: { ...jobTransitions(effects, createFetching(LOOK_FOR_BYTES)), [RESTART]: restartTransition },
    endpoints: async (lab) => {
      await ensureCertificates(lab);
      return proxmoxState(lab).hosts.map(
        (host): Endpoint => ({
          host: host.address,
          port: PROXMOX_PORT,
          ...(host.tls && { tls: host.tls }),
          answer: answering(lab, proxmoxConversation(lab, host.name, router)),
        }),
      );
    },
    publish,
  };
}

/** What a client must be told: where it is, how to know it, and as whom to come. */
function publish(lab: Lab): Record<string, string> {
  const { hosts, access } = proxmoxState(lab);
  const [first] = hosts;
  return {
    url: `https://${first?.address}:${PROXMOX_PORT}`,
    fingerprint: first ? fingerprintOf(first) : "",
    token: `${CLIENT}!${CLIENT_TOKEN}=${access.users[CLIENT]?.tokens[CLIENT_TOKEN]?.secret}`,
    hosts: hosts.map((host) => host.name).join(","),
  };
}
