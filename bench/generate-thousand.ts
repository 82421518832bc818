import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redactor } from "@talosmith/lib/secret.ts";
import { realWorld } from "@talosmith/lib/world/real.ts";
import { EventBus } from "../src/engine/bus.ts";
import type { Outcome } from "../src/engine/event.ts";
import { makePlan } from "../src/engine/plan.ts";
import { runPlan } from "../src/engine/run.ts";
import { openEnvironment } from "../src/platforms/environment.ts";
import { readBundle } from "../src/steps/generate/secrets-bundle.ts";
import { configsFrom } from "../src/steps/generate/wanted-configs.ts";
import { openAccess } from "../src/workflows/access.ts";
import { ALL_STAGES } from "../src/workflows/stages.ts";
import { up } from "../src/workflows/up.ts";
import type { Generated, Took } from "./generate.ts";

const NODES = 1000;

function config(): string {
  return `platform: proxmox
cluster: { name: thousand, endpoint: 10.20.0.5, talos: v1.13.9 }
network: { cidr: 10.20.0.0/16, gateway: 10.20.0.1 }
proxmox:
  url: https://10.20.0.2:8006
  tls: { fingerprint: "${createHash("sha256").update("bench").digest("hex").toUpperCase().match(/../g)?.join(":")}" }
  token: \${env:BENCH_TOKEN}
  hosts: [pve1, pve2, pve3]
  storage: { disks: local-lvm, images: local }
  bridge: vmbr0
defaults:
  all: { cores: 4, memory: 4GiB, disk: 20GiB }
nodes:
  - { name: cp, role: controlplane, count: 3, ip: 10.20.1.1 }
  - { name: worker, role: worker, count: ${NODES - 3}, ip: 10.20.2.1 }
`;
}

const folder = mkdtempSync(join(tmpdir(), "talosmith-bench-"));
try {
  writeFileSync(join(folder, "config.yaml"), config());
  const redactor = new Redactor();
  const world = { ...realWorld(), env: () => "bench@pve!bench=00000000-0000-0000-0000-000000000000" };
  const bus = new EventBus(world.clock, redactor);
  const session = { world, bus, redactor, signal: new AbortController().signal, mayMutate: () => {} };
  const steps: Record<string, number> = {};
  bus.listen((event) => {
    if (event.type === "step.finished") steps[event.step] ??= event.ms;
  });
  const timed = async <T>(work: () => T | Promise<T>): Promise<{ took: Took; value: T }> => {
    const [started, before] = [performance.now(), process.cpuUsage()];
    const value = await work();
    const { user, system } = process.cpuUsage(before);
    return { took: { ms: performance.now() - started, cpuMs: (user + system) / 1000 }, value };
  };
  const { took: load, value: env } = await timed(() => openEnvironment(world, folder, redactor));
  const access = await openAccess(session, env);
  const found = { environment: undefined, owned: [], there: new Set<string>(), foreign: [] };
  const generate = (outcome: Outcome) =>
    timed(async () => {
      const given = { env, found, redactor, stages: ALL_STAGES, takesSnapshots: true, notice: () => {}, ...access };
      const items = up(given).filter((item) => item.stage === "generate");
      const results = await runPlan(await makePlan(items, session), session);
      const failed = results.find((one) => one.error);
      if (failed?.error) throw failed.error;
      if (!results.some((one) => one.outcome === outcome)) throw new Error(`no step was ${outcome}`);
    });
  const first = await generate("changed");
  for (const name of readdirSync(folder))
    if (!["config.yaml", "secrets.yaml", ".talosmith"].includes(name)) rmSync(join(folder, name));
  const again = await generate("changed");
  const nothing = await generate("unchanged");
  const full = await timed(() => {
    const configs = configsFrom(env, access.platform, readBundle(world, env, redactor), redactor);
    const whole = join(folder, "whole");
    mkdirSync(whole);
    for (const node of env.config.nodes) writeFileSync(join(whole, `${node.name}.yaml`), configs.of(node).text);
  });
  access.close();
  const result: Generated = {
    nodes: NODES,
    load,
    first: first.took,
    keysMs: steps["generate/secrets"] ?? 0,
    secretsThere: again.took,
    nothing: nothing.took,
    full: full.took,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  };
  console.log(JSON.stringify(result));
} finally {
  rmSync(folder, { recursive: true });
}
