import type { Lab, Service } from "../kernel/kernel.ts";
import { createRouter } from "../kernel/router.ts";
import { ROOT } from "./access/acl.ts";
import { ensureCertificates } from "./certificate.ts";
import { hostEffects, hostTransitions } from "./host-power.ts";
import { fingerprintOf } from "./hosts.ts";
import { CLIENT, CLIENT_TOKEN, initialState, type ProxmoxOptions } from "./initial.ts";
import { createFetching } from "./jobs/fetching.ts";
import type { Effects } from "./jobs/job.ts";
import { jobTransitions } from "./jobs/runner.ts";
import { refusals } from "./refusals.ts";
import { routes } from "./routes/routes.ts";
import { type PciDevice, proxmoxState, SERVICE } from "./state.ts";
import { fileEffects } from "./storage/files.ts";
import { strikes } from "./strikes.ts";
import { doorOf, PROXMOX_PORT } from "./transport/door.ts";
import { vmEffects } from "./vm/effects.ts";
import { HA_ACTS, haTransition, RESTART, restartTransition } from "./vm/power.ts";

/** How often a download job checks for its data, in virtual milliseconds. */
const LOOK_FOR_BYTES = 500;

const effects: Effects = {
  ...fileEffects,
  ...hostEffects,
  ...vmEffects,
};

/** A Proxmox VE cluster: each of its hosts answers for all of them. */
export function proxmoxService(options: ProxmoxOptions = {}): Service {
  const router = createRouter(routes.map((method) => ({ method: method.method, pattern: method.path, handler: method })));
  return {
    name: SERVICE,
    initial: (lab) => initialState(lab, options),
    transitions: {
      ...jobTransitions(effects, createFetching(LOOK_FOR_BYTES)),
      ...hostTransitions,
      [RESTART]: restartTransition,
      [HA_ACTS]: haTransition,
    },
    endpoints: async (lab) => {
      await ensureCertificates(lab);
      return proxmoxState(lab).hosts.map((host) => doorOf(lab, host, router));
    },
    strikes,
    refusals,
    publish,
  };
}

/** Values that a client needs: the address, the fingerprint and the credentials. */
function publish(lab: Lab): Record<string, string> {
  const { hosts, access, version } = proxmoxState(lab);
  const [first] = hosts;
  return {
    url: `https://${first?.address}:${PROXMOX_PORT}`,
    fingerprint: first ? fingerprintOf(first) : "",
    token: `${CLIENT}!${CLIENT_TOKEN}=${access.users[CLIENT]?.tokens[CLIENT_TOKEN]?.secret}`,
    password: access.users[ROOT]?.password ?? "",
    hosts: hosts.map((host) => host.name).join(","),
    version,
    gpus: hosts
      .filter((host) => host.pci.some(isGpu))
      .map((host) => host.name)
      .join(","),
  };
}

/** A graphics card, except the small one that every board has for its console. */
function isGpu(device: PciDevice): boolean {
  return device.class.startsWith("03") && device.vendor !== "1a03";
}
