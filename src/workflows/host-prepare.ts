import { userError } from "@talosmith/lib/errors.ts";
import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Session } from "../engine/context.ts";
import type { Environment } from "../environment/environment.ts";
import { openEnvironment } from "../platforms/environment.ts";
import type { Inventory, Platform } from "../platforms/platform.ts";
import { isOnProxmox } from "../platforms/proxmox/config/config-on-proxmox.ts";
import { type Preparing, preparation } from "../platforms/proxmox/host/preparation.ts";
import { openRoot } from "../platforms/proxmox/host/root.ts";
import { rootOnceBack } from "../platforms/proxmox/host/root-once-back.ts";
import { survey } from "../platforms/proxmox/host/survey.ts";
import type { HostWish } from "../platforms/proxmox/host/wish.ts";
import type { ProxmoxEnvironment } from "../platforms/proxmox/proxmox-environment.ts";
import { type Access, openAccess } from "./access.ts";
import { runMutatingCommand } from "./mutating-command.ts";
import { warn } from "./notices.ts";
import { showPlan } from "./plan.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { Report } from "./report.ts";
import { ALL_STAGES } from "./stages.ts";

type HostSession = Session & { redactor: Redactor };

export interface PrepareWish {
  hosts: HostWish;
  confirm(plan: Prepared): Promise<boolean>;
}

/** `talosmith host prepare`: what only root on the hosts can do, once, before the first `up`. */
export function prepareHosts(session: HostSession, folder: string, wish: PrepareWish, report: Report): Promise<number> {
  const asRoot = hostAccess(wish.hosts);
  return runMutatingCommand(
    session,
    folder,
    {
      command: "host prepare",
      withoutLogin: true,
      wish: { workflow: () => asRoot.items(), stages: ALL_STAGES },
      allowRemove: [],
      confirm: wish.confirm,
      open: (inRun, env) => asRoot.open(inRun, env),
      nothingToDo: (env) => `the hosts of ${env.config.cluster.name} are prepared: nothing to do`,
      done: (env, _, changing) => ({
        summary: `the hosts of ${env.config.cluster.name} are prepared${changing ? "" : "; nothing had to be changed"}`,
        next: [`talosmith doctor ${env.shown}`, `talosmith up ${env.shown}`],
      }),
    },
    report,
  );
}

/** What it would do. Exit code 0: nothing, 2: something, 1: could not find out. */
export async function planHosts(session: HostSession, folder: string, hosts: HostWish): Promise<number> {
  const env = openEnvironment(session.world, folder, session.redactor, { withoutLogin: true });
  warn(session, env);
  const asRoot = hostAccess(hosts);
  const access = await asRoot.open(session, env);
  try {
    const again = `talosmith host prepare ${folder}`;
    const wish = { workflow: () => asRoot.items(), stages: ALL_STAGES, again, next: [again] };
    return showPlan(session, await prepare(session, env, access, wish));
  } finally {
    access.close();
  }
}

/** Root's way to the hosts instead of the API's: a login is opened, and what must be known is found out, before anything is planned. */
function hostAccess(wish: HostWish) {
  let preparing: Preparing | undefined;
  return {
    items: () => (preparing ? preparation(preparing) : []),
    open: async (session: HostSession, env: Environment): Promise<Access> => {
      const onProxmox = requireProxmox(env);
      const login = () => openRoot(session.world, onProxmox.config.proxmox.ssh, session.signal);
      const root = await rootOnceBack(session, wish.reboot, login);
      try {
        preparing = { env: onProxmox, root, wish, survey: await survey(root, onProxmox), redactor: session.redactor };
        const usual = openAccess(session, env);
        const close = () => {
          usual.close();
          root.close();
        };
        return { ...usual, platform: hostsOnly(usual.platform), calls: () => root.calls(), close };
      } catch (error) {
        root.close();
        throw error;
      }
    },
  };
}

/** Nothing of an environment is looked for: hosts are prepared before there is anything. */
function hostsOnly(platform: Platform): Platform {
  const nothing: Inventory = { environment: undefined, owned: [], there: new Set(), foreign: [] };
  return {
    inventory: async () => nothing,
    steps: () => [],
    examination: () => [],
    removal: () => [],
    mac: (node, environment, card) => platform.mac(node, environment, card),
    machine: (node) => platform.machine(node),
    calls: () => 0,
    close: () => platform.close(),
  };
}

function requireProxmox(env: Environment): ProxmoxEnvironment {
  const { config } = env;
  if (isOnProxmox(config)) return { ...env, config };
  throw userError("NO_HOSTS", {
    message: `There are no hosts to prepare: the platform of ${env.shown} is ${config.platform}`,
    hint: "host prepare is for Proxmox hosts",
  });
}
