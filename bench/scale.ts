import { factoryService } from "@talosmith/lab/factory/service.ts";
import { proxmoxService } from "@talosmith/lab/proxmox/service.ts";
import type { ConfigWishes } from "../test/support/config.ts";
import { lockErrors } from "../test/support/lock-errors.ts";
import { atMost, type Figure, printTable, times } from "./figure.ts";
import { pathTo } from "./lab-work.ts";
import { type Pace, virtual } from "./pace.ts";
import { type Ran, Site } from "./site.ts";

/** Calls per machine, with polls of tasks that take seconds. */
const CALLS = { import: 36, template: 62, down: 45 } as const;

/** Ten machines on each of three hosts, all at the same time. */
const MACHINES = { controlPlanes: 3, workers: 27, memory: "4GiB" };
const NODES = MACHINES.controlPlanes + MACHINES.workers;
const STAGES = { from: "preflight", until: "provision" } as const;

const DATACENTER = { storages: [{ id: "ceph", type: "rbd", totalGiB: 4000 }] } as const;

const METHODS: readonly (readonly [string, ConfigWishes])[] = [
  ["import", { method: "import" }],
  ["template, full clones", { method: "template", clone: "full" }],
  ["template, linked clones", { method: "template", clone: "linked" }],
  // One lock for all hosts, and one storage for all disks.
  ["import to Ceph", { method: "import", disks: "ceph" }],
];

interface Measured {
  ms: number;
  calls: number;
  /** Shutdown requests, which can take minutes each. */
  shutdowns: number;
  /** Errors of steps or commands. */
  errors: number;
  /** Lock time-outs in responses and tasks: each was retried, or it would be an error. */
  locks: number;
  what: string;
}

/** Machines only: nothing boots on them, so thirty are cheap. */
async function measure(pace: Pace, wishes: ConfigWishes): Promise<{ up: Measured; down: Measured }> {
  const site = await Site.open(pace, { ...MACHINES, ...wishes }, [factoryService(), proxmoxService(DATACENTER)]);
  try {
    const up = measured(site, "up", await site.up(STAGES));
    const down = measured(site, "down", await site.down());
    return { up, down };
  } finally {
    await site.close();
    pace.end();
  }
}

function measured(site: Site, command: string, ran: Ran): Measured {
  const calls = site.calls.by(command);
  const failed = ran.events.filter(({ event }) => event.type === "error" || (event.type === "step.finished" && event.error));
  const path = pathTo(ran.to, ran.from, site.work.all);
  return {
    ms: ran.to - ran.from,
    calls: calls.length,
    shutdowns: calls.filter((call) => call.site.endsWith("/status/shutdown")).length,
    errors: failed.length,
    locks: lockErrors(site.lab),
    what: path
      .filter(({ ms }) => ms >= 500)
      .map(({ what, ms }) => `${what.replace("proxmox ", "")} ${seconds(ms)}`)
      .join(", "),
  };
}

/** Creates and removes thirty machines on three hosts at once, under Proxmox's own locks. */
export async function scale(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const rows: string[][] = [];
  for (const [method, wishes] of METHODS) {
    const ideal = await measure(virtual({ rings: true }), wishes);
    const polled = await measure(virtual({ rings: false }), wishes);
    for (const command of ["up", "down"] as const) {
      const { ms, calls, shutdowns, errors, locks } = polled[command];
      const limit = CALLS[command === "down" ? "down" : wishes.method === "template" ? "template" : "import"];
      const ratio = `${(ms / ideal[command].ms).toFixed(3)}×`;
      const each = (calls / NODES).toFixed(1);
      rows.push([
        `${command}, ${method}`,
        `${calls}`,
        each,
        `${locks}`,
        `${errors}`,
        `${shutdowns}`,
        seconds(ideal[command].ms),
        ratio,
      ]);
      figures.push(
        atMost(
          `calls per machine to ${command === "up" ? "create" : "remove"} ${NODES}, ${method}`,
          calls / NODES,
          limit,
          (each) => each.toFixed(1),
        ),
        atMost(`${command} of ${NODES} machines, ${method}: over its critical path`, ms / ideal[command].ms, 1.15, times),
      );
    }
    console.log(`\n${method}: the critical path of up is ${ideal.up.what}`);
    console.log(`${method}: the critical path of down is ${ideal.down.what}`);
  }
  console.log(`\n${NODES} machines on three hosts`);
  printTable([["", "calls", "per node", "locks not got", "errors", "shutdowns", "critical path", "with our waits"], ...rows]);
  console.log();
  return figures;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
