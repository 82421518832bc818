import { remoteError, type TalosmithError, userError } from "@talosmith/lib/errors.ts";
import { type TestSession, testSession } from "../../../../test/support/toy.ts";
import { makePlan, type Plan } from "../../../engine/plan.ts";
import { runPlan } from "../../../engine/run.ts";
import { step, type WorkItem } from "../../../engine/step.ts";
import { withoutCluster } from "../../../maintenance/maintenance.ts";
import type { Shell } from "../../../takeover/shell.ts";
import type { Survey, SurveyedDisk } from "../../../takeover/survey.ts";
import type { TakeoverPlan } from "../../../takeover/take-over.ts";
import { BLANK_DISK } from "../../../takeover/testing/blank-disk.ts";
import type { Answering, TalosNodes } from "../../../talos/api/talos-nodes.ts";
import { MachineConfig } from "../../../talos/config/machine-config.ts";
import type { Inventory } from "../../platform.ts";
import type { ConfigOnVps, VpsNodeConfig } from "../config/config-on-vps.ts";
import { plainVpsNode } from "../config/testing/plain-node.ts";
import { platformOf } from "../platform.ts";
import type { Provider } from "../providers/provider.ts";
import { Records } from "../records.ts";
import type { Site } from "../site.ts";
import type { VpsEnvironment } from "../vps-environment.ts";

const GIB = 1024 ** 3;

export const UNREACHABLE = remoteError("SSH_UNREACHABLE", { message: "Unable to reach 203.0.113.11 by SSH", transient: true });
export const REFUSED = userError("SSH_AUTH", { message: "Unable to log in to 203.0.113.11 as root", hint: "name a key" });
export const OTHER_KEY = remoteError("SSH_HOST_KEY", {
  message: "Unable to trust 203.0.113.11: its SSH host key is not the known one",
});

export const BLANK: SurveyedDisk = { ...BLANK_DISK, serial: "VPS-0001", talosSerial: "VPS-0001" };
export const DEBIAN: SurveyedDisk = {
  ...BLANK,
  table: "gpt",
  parts: [{ name: "sda1", bytes: 39 * GIB, filesystem: "ext4", label: "root" }],
  holdsData: true,
};

export const RESCUE: Survey = {
  from: "198.51.100.7",
  hostname: "rescue",
  rootFilesystem: "overlay",
  cmdline: "",
  arch: "amd64",
  firmware: "bios",
  secureBoot: false,
  memoryBytes: 8 * GIB,
  uuid: "11111111-2222-3333-4444-555555555555",
  disks: [DEBIAN],
  network: {
    cards: [{ name: "eth0", mac: "02:00:00:00:00:01", addresses: ["203.0.113.11/24"], dhcp: true }],
    main: "eth0",
    gateway: "203.0.113.1",
    nameservers: ["9.9.9.9"],
  },
  tools: new Set(["curl", "zstd"]),
};
/** The server when it runs the system on its disk. */
export const INSTALLED: Survey = {
  ...RESCUE,
  rootFilesystem: "ext4",
  rootDisk: "sda",
  disks: [{ ...DEBIAN, inUse: ["sda1 is mounted at /"], mountpoints: ["/"] }],
};

export interface Bench {
  session: TestSession;
  site: Site;
  /** The answer of the Talos API. */
  talos: Answering;
  /** The result of an SSH login. */
  ssh: Survey | TalosmithError;
  /** The answer of the Talos API after a restart. */
  afterwards: Answering;
  /** The log of all actions, in order. */
  log: string[];
  /** Throws when the takeover comes to this point: "begun", "written", "restarting", "restarted". */
  failing: string | undefined;
  /** SHA-256 of what is written. */
  sha256: string;
  seeds: TakeoverPlan["seed"][];
  /** Advances the clock. */
  later(ms: number): void;
  plan(found?: Partial<Inventory>): Promise<Plan>;
  up(found?: Partial<Inventory>): Promise<Awaited<ReturnType<typeof runPlan>>>;
}

export interface BenchOptions {
  node?: Partial<VpsNodeConfig>;
  admin?: readonly string[];
  provider?: boolean;
}

export function serverBench({ node = {}, admin = ["198.51.100.0/24"], provider = false }: BenchOptions = {}): Bench {
  const session = testSession({ timeScale: 1000 });
  const { clock } = session.world;
  let passed = 0;
  session.world = {
    ...session.world,
    clock: {
      now: () => clock.now() + passed,
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    },
  };
  const only = plainVpsNode({ name: "vps-1", role: "controlplane", ip: "203.0.113.11", ...node });
  const config = {
    platform: "vps",
    vps: {},
    nodes: [only],
    cluster: { name: "c", talos: "v1.13.9" },
    network: { nameservers: ["9.9.9.9"], timeServers: [] },
    image: { factory: "http://127.0.0.1:1", secureboot: false, arch: "amd64" },
    firewall: { admin, open: [] },
  } as unknown as ConfigOnVps;
  const where = (path: readonly unknown[]) => ({ file: "config.yaml", line: path.length, column: 1 });
  const env = { config, where, folder: "/env", shown: "env", warnings: [] } as unknown as VpsEnvironment;
  const bench: Bench = {
    session,
    talos: { is: "silent", why: "nobody answers" },
    ssh: RESCUE,
    afterwards: { is: "ours" },
    log: [],
    failing: undefined,
    sha256: "a".repeat(64),
    seeds: [],
    site: {} as Site,
    later: (ms) => {
      passed += ms;
    },
    plan: (found) => makePlan([secrets, ...stepsOf(bench, found)], session),
    up: async (found) => runPlan(await makePlan([secrets, ...stepsOf(bench, found)], session), session),
  };
  bench.site = {
    env,
    talos: talosOf(bench),
    provider: provider ? providerOf(bench) : undefined,
    images: {
      source: () => ({ url: (packing) => `http://factory/image.raw.${packing}`, open: async () => nothing() }),
      built: async () => {},
      compare: (_, __, sha256) => bench.log.push(`compared ${sha256.slice(0, 4)}`),
    },
    records: new Records("/env"),
    meter: { calls: 0, bytes: 0 },
    hands: handsOf(bench),
  };
  return bench;
}

async function* nothing(): AsyncIterable<Uint8Array> {}

const secrets = step<string, string>({
  id: "generate/secrets",
  stage: "generate",
  title: "secrets",
  observe: async () => ({ is: "present", actual: "e", owner: "us" }),
  plan: () => [],
  apply: async () => {},
  output: (actual) => actual,
});

function stepsOf({ site }: Bench, found: Partial<Inventory> = {}): WorkItem[] {
  const inventory: Inventory = { environment: "e", owned: [], there: new Set(), foreign: [], ...found };
  const configs = { of: ({ name }: { name: string }) => MachineConfig.read(`the config of ${name}`) };
  // The factory is no part of this: each machine without what it would wait for there.
  return platformOf(site)
    .steps("provision", inventory, { configs, maintenance: withoutCluster })
    .map((item) => ({ ...item, needs: item.needs.filter(({ step }) => !step.startsWith("image/")) }));
}

function talosOf(bench: Bench): TalosNodes {
  const reset = async (options: object) => {
    bench.log.push(`reset ${JSON.stringify(options)}`);
    bench.talos = bench.afterwards;
  };
  return { probe: async () => bench.talos, node: () => ({ reset }) } as unknown as TalosNodes;
}

function handsOf(bench: Bench): Site["hands"] {
  const at = (point: string) => {
    bench.log.push(point);
    if (bench.failing !== point) return;
    throw remoteError("SSH_COMMAND_LOST", { message: `lost at ${point}` });
  };
  return {
    openShell: async () => {
      if (bench.ssh instanceof Error) throw bench.ssh;
      bench.log.push("login");
      return { hostKey: () => "SHA256:key", close: () => bench.log.push("logout") } as unknown as Shell;
    },
    surveyServer: async () => bench.ssh as Survey,
    takeOver: async (_, plan, c) => {
      const image = { way: "there", bytes: 1, sha256: bench.sha256 } as const;
      bench.seeds.push(plan.seed);
      await plan.keep([{ offset: 0, bytes: Buffer.from("table") }]);
      at("begun");
      await c.mutate({ key: "disk", what: "write the image" }, async () => {
        at("written");
        return undefined;
      });
      plan.agree?.(image);
      await plan.restarting(image);
      at("restarting");
      bench.talos = bench.afterwards;
      bench.ssh = UNREACHABLE;
      at("restarted");
      return image;
    },
  };
}

export function providerOf(bench: Bench): Provider {
  return {
    name: "Hetzner Cloud",
    server: async ({ name }) => ({ id: "1", name, state: "running", inRescue: false }),
    enterRescue: async () => {
      bench.log.push("enter rescue");
      bench.ssh = RESCUE;
    },
    leaveRescue: async () => {
      bench.log.push("leave rescue");
    },
    firewall: { steps: () => [], ready: () => [], removal: () => [] },
    calls: () => 0,
    close: () => {},
  };
}
