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
import { atMost, type Figure, median, megabytes, printTable, seconds, times } from "./figure.ts";

const SIZES = [3, 10, 30, 100, 300, 1000];
/** Rounds of a measurement: a bare Node and an empty plan, in turns. */
const ROUNDS = 9;
/**
 * Limits of an empty plan in starts of a bare Node, which hold on a slow machine, too; and the goals in seconds. The megabytes do not depend on the
 * machine.
 */
const LIMITS: Readonly<Record<number, { starts?: number; goalS?: number; peakMB?: number }>> = {
  3: { starts: 5, goalS: 0.25 },
  100: { starts: 8, goalS: 0.4, peakMB: 90 },
  1000: { peakMB: 160 },
};

const MEASURING = join(import.meta.dirname, "../../bench/resources.mjs");

interface Used {
  cpuS: number;
  peakMB: number;
  /** Those that the lab received. */
  calls: number;
}

/** Runs the built program in a process of its own, on a Proxmox in this process, and measures what it uses. */
class Reader {
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

  /** A bare Node, which loads the same module that measures. */
  bare(): Promise<Used> {
    return this.#spawned(["-e", "0"], 0);
  }

  run(args: readonly string[], exitCode: number): Promise<Used> {
    return this.#spawned([this.#program, ...args, "--json"], exitCode);
  }

  #spawned(args: readonly string[], exitCode: number): Promise<Used> {
    return new Promise((done, failed) => {
      this.#lab.recorder.clear();
      const child = spawn(process.execPath, ["--import", MEASURING, ...args], {
        env: { ...process.env, ...this.#env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      child.on("error", failed);
      child.on("close", (code) => {
        if (code !== exitCode) return failed(new Error(`node ${args.join(" ")} ended with ${code}\n${said.slice(-2000)}`));
        // Proxmox's own calls, such as downloads, are not the program's.
        const calls = this.#lab.recorder.calls().filter(({ service, inside }) => service === "proxmox" && !inside).length;
        done({ ...JSON.parse(readFileSync(this.#env.RESOURCES ?? "", "utf8")), calls });
      });
    });
  }
}

/** One number of machines, with the plan of all of them, of none and of one. */
interface Row {
  size: number;
  first: Used;
  created: Used;
  /** Seconds that creating all machines took, on a lab in which tasks take no time. */
  createdS: number;
  empty: Used;
  oneNew: Used;
  /** Processor seconds of a bare Node in the same rounds. */
  bareS: number;
}

async function measured(reader: Reader, size: number): Promise<Row> {
  const stages = ["--until", "provision"];
  const env = reader.folder(size);
  const first = await reader.run(["plan", env, ...stages], 2);
  const began = performance.now();
  const created = await reader.run(["up", env, "--yes", ...stages], 0);
  const createdS = (performance.now() - began) / 1000;
  const rounds: { bare: Used; empty: Used }[] = [];
  for (let n = 0; n < ROUNDS; n++)
    rounds.push({ bare: await reader.bare(), empty: await reader.run(["plan", env, ...stages], 0) });
  const middle = (key: keyof Used) => median(rounds.map(({ empty }) => empty[key]));
  reader.resize(env, size + 1);
  const oneNew = await reader.run(["plan", env, ...stages], 2);
  const empty = { cpuS: middle("cpuS"), peakMB: middle("peakMB"), calls: middle("calls") };
  return { size, first, created, createdS, empty, oneNew, bareS: median(rounds.map(({ bare }) => bare.cpuS)) };
}

/** Processor time, memory and calls of the built program from 3 to 1,000 machines, and how they grow. */
export async function processes(program: string): Promise<Figure[]> {
  const datacenter = { memoryGiB: 4000, storages: [{ id: "local-lvm", type: "lvmthin", totalGiB: 40_000 }] } as const;
  const lab = await createLab(
    { ...realWorld(), clock: steadyClock() },
    { seed: "bench", timeScale: "instant", services: [factoryService(), proxmoxService(datacenter)] },
  );
  await lab.start();
  const fresh = lab.snapshot();
  const reader = new Reader(lab, program);
  const rows: Row[] = [];
  try {
    for (const size of SIZES) {
      lab.restore(fresh);
      rows.push(await measured(reader, size));
    }
  } finally {
    reader.close();
    await lab.close();
  }
  const shown = ({ cpuS, peakMB, calls }: Used) =>
    `${seconds(cpuS)} ${megabytes(peakMB).padStart(7)} ${String(calls).padStart(5)}`;
  console.log("\nMachines on three hosts, a process of its own for each plan: processor time, peak memory, calls");
  printTable([
    ["machines", "empty plan", "over bare node", "plan, one is new", "plan, all are new", "up, all are new", "its time"],
    ...rows.map(({ size, empty, bareS, oneNew, first, created, createdS }) => [
      ...[`${size}`, shown(empty), times(empty.cpuS / bareS), shown(oneNew), shown(first), shown(created), seconds(createdS)],
    ]),
  ]);
  console.log();
  const of = (machines: number) => rows.find(({ size }) => size === machines);
  const [hundred, thousand] = [of(100), of(1000)];
  return [
    ...rows.flatMap(limited),
    ...(hundred
      ? [
          atMost("calls of a plan with one new node, 100 machines", hundred.oneNew.calls, 130),
          atMost("calls to create 100 machines", hundred.created.calls, 900),
        ]
      : []),
    ...(thousand
      ? [
          atMost("calls to create 1,000 machines", thousand.created.calls, 8_200),
          atMost("peak memory of creating 1,000 machines", thousand.created.peakMB, 240, megabytes),
        ]
      : []),
    atMost("growth of the calls to create: exponent", exponent(rows, "calls", "created"), 1.05, (power) => power.toFixed(2)),
    atMost("growth of creating's processor time: exponent", exponent(rows, "cpuS", "created"), 1.1, (power) => power.toFixed(2)),
    atMost("growth of an empty plan's processor time: exponent", exponent(rows, "cpuS"), 1.1, (power) => power.toFixed(2)),
    atMost("growth of an empty plan's calls: exponent", exponent(rows, "calls"), 1.05, (power) => power.toFixed(2)),
  ];
}

function limited({ size, empty, bareS }: Row): Figure[] {
  const { starts, goalS, peakMB } = LIMITS[size] ?? {};
  const plan = `an empty plan, ${size} machines`;
  return [
    ...(starts === undefined ? [] : [atMost(`processor time of ${plan}, over bare node`, empty.cpuS / bareS, starts, times)]),
    ...(goalS === undefined ? [] : [atMost(`processor time of ${plan}: goal in seconds`, empty.cpuS, goalS, seconds)]),
    ...(peakMB === undefined ? [] : [atMost(`peak memory of ${plan}`, empty.peakMB, peakMB, megabytes)]),
  ];
}

/** The power of the number of machines with which a value grows beyond that of the fewest, fitted to the sizes from 100 on: below, noise counts as much. */
function exponent(rows: readonly Row[], key: keyof Used, of: "empty" | "created" = "empty"): number {
  const base = rows[0]?.[of][key] ?? 0;
  const points = rows
    .filter(({ size }) => size >= 100)
    .map((row) => [Math.log(row.size), Math.log(Math.max(row[of][key] - base, 1e-6))] as const);
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  return points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}
