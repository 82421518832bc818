import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { factoryService } from "@talosmith/lab/factory/service.ts";
import type { RunningLab } from "@talosmith/lab/kernel/kernel.ts";
import { createLab } from "@talosmith/lab/kernel/lab.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { steadyClock } from "@talosmith/lib/world/steady-clock.ts";
import { labConfig } from "../test/support/config.ts";
import { type Figure, printTable } from "./figure.ts";

const SIZES = [3, 10, 30, 100, 300, 1000];
/** Sizes with a fixed limit: processor seconds and megabytes of an empty plan. */
const LIMITS = new Map([
  [3, { cpuS: 0.25 }],
  [100, { cpuS: 0.4, peakMB: 90 }],
  [1000, { peakMB: 160 }],
]);
const RUNS = 7;

interface Used {
  cpuS: number;
  peakMB: number;
  /** Those that the lab received. */
  calls: number;
}

/** Runs the built program in a process of its own, on a Proxmox in this process, and measures what it uses. */
export class Reader {
  readonly #folder = mkdtempSync(join(tmpdir(), "talosmith-bench-"));
  readonly #lab: RunningLab;
  readonly #program: string;
  readonly #env: Record<string, string>;
  readonly #config: (workers: number) => string;

  constructor(lab: RunningLab, program: string) {
    this.#lab = lab;
    this.#program = program;
    const { proxmox = {}, factory = {} } = lab.published();
    const block = lab.address.prefix;
    this.#env = { LAB_TOKEN: proxmox.token ?? "", RESOURCES: join(this.#folder, "resources.json") };
    const { url = "", fingerprint = "", token = "", hosts = "" } = proxmox;
    const [a, b] = block.split(".");
    // A thousand machines need more addresses than a lab has; nothing boots on them.
    this.#config = (workers) =>
      labConfig(
        { block, url, fingerprint, token, factory: factory.url ?? "", hosts: hosts.split(",") },
        { workers, memory: "2GiB" },
      )
        .replace(`${block}.0/24`, `${a}.${b}.0.0/16`)
        .replace(`${block}.250`, `${a}.${b}.255.250`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** The folder of an environment with this many machines. */
  folder(machines: number): string {
    const folder = join(this.#folder, `env-${machines}`);
    mkdirSync(folder, { recursive: true });
    this.resize(folder, machines);
    return folder;
  }

  resize(folder: string, machines: number): void {
    writeFileSync(join(folder, "config.yaml"), this.#config(machines - 1));
  }

  run(args: readonly string[], exitCode: number): Promise<Used> {
    return new Promise((done, failed) => {
      const node = ["--import", join(import.meta.dirname, "../../bench/resources.mjs"), this.#program, ...args, "--json"];
      this.#lab.recorder.clear();
      const child = spawn(process.execPath, node, {
        env: { ...process.env, ...this.#env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      child.on("error", failed);
      child.on("close", (code) => {
        if (code !== exitCode) return failed(new Error(`talosmith ${args.join(" ")} ended with ${code}\n${said.slice(-2000)}`));
        // Proxmox's own calls, such as downloads, are not the program's.
        const calls = this.#lab.recorder.calls().filter(({ service, inside }) => service === "proxmox" && !inside).length;
        done({ ...JSON.parse(readFileSync(this.#env.RESOURCES ?? "", "utf8")), calls });
      });
    });
  }

  /** The median of each value. */
  async measure(args: readonly string[], exitCode: number): Promise<Used> {
    const runs: Used[] = [];
    for (let n = 0; n < RUNS; n++) runs.push(await this.run(args, exitCode));
    const median = (key: keyof Used) => runs.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(RUNS / 2)] as number;
    return { cpuS: median("cpuS"), peakMB: median("peakMB"), calls: median("calls") };
  }
}

/** Processor time, memory and calls of the built program from 3 to 1,000 machines, and how they grow. */
export async function processes(program: string): Promise<Figure[]> {
  const datacenter = { storages: [{ id: "local-lvm", type: "lvmthin", totalGiB: 40_000 }] } as const;
  const lab = await createLab(
    { ...realWorld(), clock: steadyClock() },
    { seed: "bench", timeScale: "instant", services: [factoryService(), proxmoxService(datacenter)] },
  );
  await lab.start();
  const fresh = lab.snapshot();
  const reader = new Reader(lab, program);
  const stages = ["--until", "provision"];
  const empty: Used[] = [];
  const rows = [["machines", "cpu", "memory", "calls", "calls to create", "calls with one new node"]];
  let created: Used = { cpuS: 0, peakMB: 0, calls: 0 };
  let oneNew = created;
  try {
    for (const size of SIZES) {
      lab.restore(fresh);
      const env = reader.folder(size);
      const up = await reader.run(["up", env, "--yes", ...stages], 0);
      const plan = await reader.measure(["plan", env, ...stages], 0);
      reader.resize(env, size + 1);
      const more = await reader.run(["plan", env, ...stages], 2);
      if (size === 100) [created, oneNew] = [up, more];
      empty.push(plan);
      rows.push([
        `${size}`,
        `${plan.cpuS.toFixed(2)} s`,
        `${plan.peakMB.toFixed(0)} MB`,
        `${plan.calls}`,
        `${up.calls}`,
        `${more.calls}`,
      ]);
    }
  } finally {
    reader.close();
    await lab.close();
  }
  console.log("\nAn empty plan in a process of its own, machines on three hosts");
  printTable(rows);
  console.log();
  return [
    ...SIZES.flatMap((size, at) => {
      const { cpuS = 0, peakMB = 0 } = empty[at] ?? {};
      const limit = LIMITS.get(size) as { cpuS?: number; peakMB?: number } | undefined;
      return [
        ...(limit?.cpuS === undefined
          ? []
          : [{ name: `cpu of an empty plan, ${size} machines`, value: `${cpuS.toFixed(2)} s`, limit: `≤ ${limit.cpuS} s` }]),
        ...(limit?.peakMB === undefined
          ? []
          : [
              {
                name: `memory of an empty plan, ${size} machines`,
                value: `${peakMB.toFixed(0)} MB`,
                limit: `≤ ${limit.peakMB} MB`,
              },
            ]),
      ];
    }),
    { name: "calls of a plan with one new node, 100 machines", value: `${oneNew.calls}`, limit: "≤ 130" },
    { name: "calls to create 100 machines", value: `${created.calls}`, limit: "≤ 900" },
    { name: "growth of an empty plan's cpu, 100 to 1,000", value: exponent(empty, "cpuS"), limit: "exponent ≤ 1.1" },
    { name: "growth of an empty plan's calls, 100 to 1,000", value: exponent(empty, "calls"), limit: "exponent ≤ 1" },
  ];
}

/** The power of the number of machines with which a value grows, fitted to the sizes from 100 on. */
function exponent(values: readonly Used[], key: keyof Used): string {
  const points = SIZES.flatMap((size, at) => (size >= 100 ? [[Math.log(size), Math.log(values[at]?.[key] ?? 1)] as const] : []));
  const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const slope =
    points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  return slope.toFixed(2);
}
