import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import { type ProxmoxState, proxmoxState } from "@talosmith/lab/proxmox/state.ts";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { expect } from "vitest";
import { Root } from "../../../../test/support/root.ts";
import { type TestSession, testSession } from "../../../../test/support/toy.ts";
import { VolatileFiles } from "../../../../test/support/volatile-files.ts";
import { readContext } from "../../../engine/context.ts";
import { changesOf, errorsOf, makePlan } from "../../../engine/plan.ts";
import { runPlan } from "../../../engine/run.ts";
import { step, type WorkItem } from "../../../engine/step.ts";
import type { TalosNode } from "../../../talos/api/talos-node.ts";
import type { TalosNodes } from "../../../talos/api/talos-nodes.ts";
import type { Platform, Shelf, Stored } from "../../platform.ts";
import type { ConfigOnProxmox, ProxmoxNodeConfig } from "../config/config-on-proxmox.ts";
import { proxmoxPlatform } from "../platform.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import { testNode } from "./test-node.ts";

const ENVIRONMENT = "life-12345678";
const STAGES = ["image", "provision", "bootstrap"] as const;

/** Nothing built in (docs/facts/talos.md#schematics). */
export const IMAGE = "talos-v1.13.9-amd64-37656798";
export const FILE = `local:import/${IMAGE}.qcow2`;

export interface Wishes {
  nodes?: readonly ProxmoxNodeConfig[];
  image?: Partial<ConfigOnProxmox["image"]>;
  talos?: string;
  hosts?: readonly string[];
}

/** A lab of two hosts with the platform; the cluster on the machines is simulated as running. */
export class ImageBench {
  readonly lab: RunningLab;
  readonly files = new VolatileFiles();

  private constructor(lab: RunningLab) {
    this.lab = lab;
  }

  static async open(): Promise<ImageBench> {
    const services = [factoryService(), proxmoxService({ rootPassword: "r", hosts: ["pve1", "pve2"] })];
    const lab = await createLab(realWorld({ timeScale: 1 }), { seed: "s", timeScale: "instant", services });
    await lab.start();
    return new ImageBench(lab);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  get state(): ProxmoxState {
    return proxmoxState(this.lab);
  }

  root(): Promise<Root> {
    return Root.login(this.lab.published().proxmox?.url ?? "", "r");
  }

  volume(id: string, host = "pve1") {
    const found = this.state.volumes.find(
      (one) => `${one.storage}:${one.name}` === id && (one.node === undefined || one.node === host),
    );
    if (!found) throw new Error(`there is no ${id} on ${host}`);
    return found;
  }

  /** Removes privileges from all logins. */
  forbid(...gone: string[]): void {
    const { roles } = this.state.access;
    for (const [name, privileges] of Object.entries(roles)) roles[name] = privileges.filter((one) => !gone.includes(one));
  }

  plan(wishes: Wishes) {
    return this.#command(wishes, (platform, session) => lookAround(wishes, platform, session));
  }

  async changes(wishes: Wishes): Promise<string[]> {
    const { plan } = await this.plan(wishes);
    expect(errorsOf(plan)).toEqual([]);
    return changesOf(plan).map(({ verb, subject }) => `${verb} ${subject}`);
  }

  /** Runs the image and machine steps; returns the mutations and warnings. */
  up(wishes: Wishes): Promise<{ done: string[]; warnings: string[] }> {
    return this.#command(wishes, async (platform, session) => {
      const { plan } = await lookAround(wishes, platform, session);
      expect(errorsOf(plan)).toEqual([]);
      const results = await runPlan(plan, session);
      expect(results.flatMap(({ error }) => error ?? [])).toEqual([]);
      return {
        done: session.events.flatMap((event) => (event.type === "mutation.outcome" && event.ok ? [event.what] : [])),
        warnings: session.events.flatMap((event) => (event.type === "step.finding" ? [event.finding.code] : [])),
      };
    });
  }

  stored(wishes: Wishes): Promise<Stored[]> {
    return this.#command(wishes, (platform, session) => shelfOf(platform).list(looking(session)));
  }

  /** Removes the stored objects that match. */
  remove(wishes: Wishes, fits: (one: Stored) => boolean) {
    return this.#command(wishes, async (platform, session) => {
      const doomed = (await shelfOf(platform).list(looking(session))).filter(fits);
      const items = doomed.map((one) => shelfOf(platform).removal(one));
      return runPlan(await makePlan(items, session), session);
    });
  }

  /** Runs as a new command, which observes everything again. */
  async #command<T>(wishes: Wishes, use: (platform: Platform, session: TestSession) => Promise<T>): Promise<T> {
    const session = { ...testSession(), world: { ...realWorld(), files: this.files } };
    const platform = proxmoxPlatform(session.world, environment(this.lab, wishes), INSTALLED);
    try {
      return await use(platform, session);
    } finally {
      platform.close();
    }
  }
}

const looking = (session: TestSession) =>
  readContext(session, "looking", new Map([["generate/secrets", ENVIRONMENT]]), new Map());

function shelfOf({ shelf }: Platform): Shelf {
  if (!shelf) throw new Error("no shelf");
  return shelf;
}

async function lookAround({ nodes = [testNode({})] }: Wishes, platform: Platform, session: TestSession) {
  const found = await platform.inventory(ENVIRONMENT, looking(session));
  const before = ["generate/secrets", "bootstrap/etcd", ...nodes.map(({ name }) => `bootstrap/config/${name}`)].map(given);
  const items: WorkItem[] = [...before, ...STAGES.flatMap((stage) => platform.steps(stage, found))];
  return { plan: await makePlan(items, session), found };
}

const given = (id: string) =>
  step<string, string>({
    id,
    stage: "generate",
    title: id,
    observe: async () => ({ is: "present", actual: ENVIRONMENT, owner: "us" }),
    plan: () => [],
    apply: async () => {},
    output: (actual) => actual,
  });

/** Nodes of this cluster, with Talos on their disk. */
const INSTALLED = {
  probe: async () => ({ is: "ours" }),
  ask: async (_: string, question: (node: TalosNode) => Promise<unknown>) => ({
    is: "ours",
    answer: await question({ disks: async () => [{ isSystem: true }], resources: async () => [] } as unknown as TalosNode),
  }),
} as unknown as TalosNodes;

function environment(lab: RunningLab, wishes: Wishes): ProxmoxEnvironment {
  const { nodes = [testNode({})], image, talos = "v1.13.9", hosts = ["pve1"] } = wishes;
  const { proxmox = {}, factory = {} } = lab.published();
  const config = {
    platform: "proxmox",
    cluster: { name: "life", talos },
    network: { cidr: "10.10.0.0/24", prefix: 24, gateway: "10.10.0.1", nameservers: [], via: "direct", timeServers: [] },
    image: { method: "import", clone: "full", factory: factory.url ?? "", arch: "amd64", secureboot: false, ...image },
    proxmox: {
      url: proxmox.url ?? "",
      tls: { by: "fingerprint", fingerprint: proxmox.fingerprint ?? "" },
      token: new Redactor().secret(proxmox.token ?? ""),
      hosts,
      storage: { disks: "local-lvm", images: "local" },
      bridge: "vmbr0",
    },
    nodes,
  } as unknown as ConfigOnProxmox;
  return { config, folder: "/env", shown: "env", warnings: [], where: () => undefined };
}
