import { factoryService } from "@talosmith/lab/factory/service.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import type { ProxmoxOptions } from "@talosmith/lab/proxmox/initial.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { Root } from "../../../../test/support/root.ts";
import { testSession } from "../../../../test/support/toy.ts";
import { changesOf, errorsOf, makePlan, type Plan } from "../../../engine/plan.ts";
import { runPlan, type StepResult } from "../../../engine/run.ts";
import { type Read, step } from "../../../engine/step.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import type { ConfigOnProxmox, ProxmoxImageConfig, ProxmoxLogin, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { proxmoxPlatform } from "../platform.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { ENVIRONMENT } from "./environment-id.ts";

const PASSWORD = "r";

/** The settings of these tests' configs. */
export interface Wishes {
  nodes: readonly ProxmoxNodeConfig[];
  hosts?: readonly string[];
  image?: Partial<ProxmoxImageConfig>;
  /** The login: by default a token with every privilege, but without root's exceptions. */
  as?: "root" | "token";
  nameservers?: readonly string[];
}

const nobody = async () => ({ is: "silent", why: "nobody answers" });
const silent = { ask: nobody, probe: nobody } as unknown as TalosNodes;

/** Provides the environment's id without generating secrets. */
export const secrets = step<string, string>({
  id: "generate/secrets",
  stage: "generate",
  title: "secrets",
  observe: async () => ({ is: "present", actual: ENVIRONMENT, owner: "us" }),
  plan: () => [],
  apply: async () => {},
  output: (actual) => actual,
});

/** A lab's Proxmox with commands against it, limited to the stages that create machines. */
export async function platformLab(options: ProxmoxOptions = {}) {
  const lab = await createLab(realWorld({ timeScale: 1 }), {
    seed: "s",
    timeScale: "instant",
    services: [factoryService(), proxmoxService({ rootPassword: PASSWORD, ...options })],
  });
  await lab.start();
  const { proxmox = {}, factory = {} } = lab.published();
  const root = await Root.login(proxmox.url ?? "", PASSWORD);
  const [token = ""] = (proxmox.token ?? "").split("=");
  const [user = ""] = token.split("!");
  await root.call("PUT", "/access/acl", { path: "/", roles: "Administrator", users: user });
  await root.call("PUT", "/storage/local", { content: "iso,vztmpl,backup,import,snippets" });
  const session = { ...testSession(), world: realWorld() };

  const environment = ({
    nodes,
    hosts = ["pve1"],
    image = {},
    as = "token",
    nameservers = ["10.10.0.1"],
  }: Wishes): ProxmoxEnvironment => {
    const redactor = new Redactor();
    const login: ProxmoxLogin =
      as === "token"
        ? { token: redactor.secret(proxmox.token ?? "") }
        : { user: "root@pam", password: redactor.secret(PASSWORD) };
    const config = {
      platform: "proxmox",
      cluster: { name: "life", talos: "v1.13.9" },
      network: { cidr: "10.10.0.0/24", prefix: 24, gateway: "10.10.0.1", nameservers, via: "direct", timeServers: [] },
      image: { method: "import", clone: "full", factory: factory.url ?? "", arch: "amd64", secureboot: false, ...image },
      proxmox: {
        url: proxmox.url ?? "",
        tls: { by: "fingerprint", fingerprint: proxmox.fingerprint ?? "" },
        ...login,
        hosts,
        storage: { disks: "local-lvm", images: "local" },
        bridge: "vmbr0",
      },
      nodes,
    } as unknown as ConfigOnProxmox;
    const where = (path: readonly (string | number)[]) => ({ file: `config.yaml:${path.join(".")}`, line: 1, column: 1 });
    return { config, folder: "/env", shown: "env", warnings: [], where };
  };

  const looking: Read = {
    ...session,
    get: () => ENVIRONMENT as never,
    shared: (_, load) => load(),
    until: async (one) => {
      while ((await one.poll(looking)) !== true) await session.world.clock.sleep(5);
    },
    say: () => {},
    failed: () => undefined,
  };

  /** Plans a command; `removing` plans the removal of everything in the environment. */
  async function planned(wishes: Wishes, removing = false) {
    const platform = proxmoxPlatform(session.world, environment(wishes), silent);
    const found = await platform.inventory(ENVIRONMENT, looking);
    const items = removing
      ? found.owned.flatMap((one) => platform.removal(one, undefined))
      : [secrets, ...platform.steps("image", found), ...platform.steps("provision", found)];
    const pass = new Map();
    return { plan: await makePlan(items, session, pass), found, calls: platform.calls(), close: () => platform.close() };
  }

  async function run(wishes: Wishes, removing = false): Promise<StepResult[]> {
    const { plan, close } = await planned(wishes, removing);
    const results = await runPlan(plan, session);
    close();
    return results;
  }

  return {
    lab,
    root,
    session,
    environment,
    planned,
    run,
    /** Applies the plan and requires that nothing failed. */
    async up(wishes: Wishes): Promise<void> {
      const results = await run(wishes);
      const failed = results.filter(({ outcome }) => outcome !== "changed" && outcome !== "unchanged");
      if (failed.length > 0) throw new Error(JSON.stringify(failed, null, 2));
    },
    async down(wishes: Wishes): Promise<void> {
      const failed = (await run(wishes, true)).filter(({ outcome }) => outcome !== "changed");
      if (failed.length > 0) throw new Error(JSON.stringify(failed, null, 2));
    },
    /** The plan of each machine: its one change in words, or the notes about what is kept. */
    async planOfEach(wishes: Wishes): Promise<Map<string, { change?: string; notes: string[] }>> {
      const { plan, close } = await planned(wishes);
      close();
      const failed = errorsOf(plan)[0];
      if (failed) throw failed;
      const machines = plan.planned.filter(({ item }) => item.id.startsWith("machine/"));
      return new Map(
        machines.map((one) => {
          const [change] = inWords({ planned: [one] });
          const notes = one.findings.map(({ message }) => message);
          return [one.item.id.slice("machine/".length), { ...(change !== undefined && { change }), notes }];
        }),
      );
    },
    /** The changes, notes and errors of a plan. */
    async plan(wishes: Wishes): Promise<{ changes: string[]; notes: string[]; errors: string[] }> {
      const { plan, close } = await planned(wishes);
      close();
      return {
        changes: inWords(plan),
        notes: notesOf(plan),
        errors: errorsOf(plan).map((error) => `${error.code} ${error.message}`),
      };
    },
    async vm(name: string) {
      const found = (await root.vms()).find(({ config }) => config.name === name);
      if (!found) throw new Error(`there is no VM ${name}`);
      return { ...found, path: `/nodes/${found.node}/qemu/${found.vmid}` };
    },
    close: () => lab.close(),
  };
}

export type PlatformLab = Awaited<ReturnType<typeof platformLab>>;

function inWords(plan: Plan): string[] {
  return changesOf(plan).map(({ verb, fields }) =>
    [verb, fields.map(({ path, from, to }) => `${path}: ${from} → ${to}`).join(", ")].join(" "),
  );
}

function notesOf(plan: Plan): string[] {
  return plan.planned.flatMap(({ findings }) => findings.map(({ message }) => message));
}
