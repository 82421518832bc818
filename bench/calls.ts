import { type Figure, printTable } from "./figure.ts";
import { virtual } from "./pace.ts";
import { type Ran, Site } from "./site.ts";
import { DEMO } from "./whole-up.ts";

const COMMANDS = ["up", "plan", "verify", "status"] as const;
const MORE_WORKERS = 3;
/** Calls of an empty plan of the demo, and of each further node: to Proxmox, and for version and config to Talos. */
const PLAN_CALLS = 41;
const PLAN_CALLS_PER_NODE = 3;

type Counts = Map<string, number>;

/** By command: how often it called each site of each service. */
async function countCalls(workers: number): Promise<Map<string, Counts>> {
  const pace = virtual({ rings: false });
  const site = await Site.open(pace, { ...DEMO, workers });
  try {
    for (const command of COMMANDS) mustBeEmpty(command, await site[command]());
    return new Map(COMMANDS.map((command) => [command, countBySite(site, command)]));
  } finally {
    await site.close();
    pace.end();
  }
}

function countBySite(site: Site, command: string): Counts {
  const counts: Counts = new Map();
  for (const { service, site: at } of site.calls.by(command)) {
    const name = `${service} ${at}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function mustBeEmpty(command: string, { events }: Ran): void {
  for (const { event } of events)
    if (command === "plan" && event.type === "result" && event.result.kind === "plan" && event.result.changes.length > 0)
      throw new Error("the plan after up is not empty");
}

/** Counts the calls of each command, and the additional calls for each further node. */
export async function callsByService(): Promise<Figure[]> {
  const few = await countCalls(DEMO.workers);
  const many = await countCalls(DEMO.workers + MORE_WORKERS);
  const nodes = DEMO.controlPlanes + DEMO.workers;
  const sites = [...new Set([...few.values(), ...many.values()].flatMap((counts) => [...counts.keys()]))].sort();
  const cell = (command: string, which: (name: string) => boolean) => {
    const sum = (counts?: Counts) => [...(counts ?? [])].reduce((total, [name, n]) => total + (which(name) ? n : 0), 0);
    const calls = sum(few.get(command));
    const each = (sum(many.get(command)) - calls) / MORE_WORKERS;
    return calls === 0 && each === 0
      ? ""
      : `${calls}${each === 0 ? "     " : ` ${each > 0 ? "+" : "−"}${Math.abs(each).toFixed(1)}`}`;
  };
  const services = [...new Set(sites.map((name) => name.split(" ")[0] ?? ""))];
  console.log(`\nCalls of ${nodes} nodes, and how many more for each further node`);
  printTable([
    ["", ...COMMANDS],
    ...services.flatMap((service) => [
      [service, ...COMMANDS.map((command) => cell(command, (name) => name.startsWith(`${service} `)))],
      ...sites
        .filter((name) => name.startsWith(`${service} `))
        .map((name) => [
          `  ${name.slice(service.length + 1)}`,
          ...COMMANDS.map((command) => cell(command, (one) => one === name)),
        ]),
    ]),
    ["all", ...COMMANDS.map((command) => cell(command, () => true))],
  ]);
  console.log();
  return COMMANDS.slice(1).map((command): Figure => {
    const value = cell(command, () => true).trim();
    if (command !== "plan") return { name: `calls of ${command}, ${nodes} nodes`, value, limit: "" };
    const [calls, each] = [few, many].map((counts) => [...(counts.get(command)?.values() ?? [])].reduce((sum, n) => sum + n, 0));
    const holds = (calls ?? 0) <= PLAN_CALLS && ((each ?? 0) - (calls ?? 0)) / MORE_WORKERS <= PLAN_CALLS_PER_NODE;
    return { name: `calls of an empty plan, ${nodes} nodes`, value, limit: `≤ ${PLAN_CALLS} +${PLAN_CALLS_PER_NODE}`, holds };
  });
}
