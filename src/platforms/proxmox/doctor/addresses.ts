import { Gate } from "@talosmith/lib/gate.ts";
import { type Check, check, type Read } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { Site } from "../site.ts";
import { at, fail, ok, some } from "./finding.ts";

/** Ports of a Talos node, of another machine and of a Kubernetes API. */
const PORTS = [50_000, 22, 6443];
const LIMIT_MS = 2_000;
const AT_A_TIME = 24;

/** Checks that nothing answers at the addresses of machines that do not exist yet. A machine that is silent on all ports is not found. */
export function addressesAreFree({ env, talos }: Site, found: Inventory): Check[] {
  const nodes = env.config.nodes.filter(({ name }) => !found.there.has(name));
  if (nodes.length === 0) return [];
  return [
    check({
      id: "doctor/addresses",
      stage: "preflight",
      title: "addresses of new machines",
      run: async (c) => {
        const gate = new Gate(AT_A_TIME);
        const looks = nodes.map(async ({ name, ip }) => {
          const port = env.config.network.via === "ssh" ? await talosAt(c, ip) : await listening(c, gate, ip);
          if (port === undefined) return [];
          return [
            fail(
              "ADDRESS_USED",
              `${at(env.where(["nodes", name, "ip"]))}${ip}, the address of ${name}, is already in use: port ${port} answers, but ${name} does not exist yet`,
              "choose another address, or switch off the machine that has it",
            ),
          ];
        });
        const used = (await Promise.all(looks)).flat();
        if (used.length > 0) return used;
        return [ok("ADDRESSES", `nothing answers at ${some(nodes.map(({ ip }) => ip))}`)];
      },
    }),
  ];

  /** Through an SSH host only the Talos API is probed. */
  async function talosAt(c: Read, ip: string): Promise<number | undefined> {
    return (await talos.probe(ip, c.signal)).is === "silent" ? undefined : 50_000;
  }
}

async function listening(c: Read, gate: Gate, host: string): Promise<number | undefined> {
  const open = await Promise.all(PORTS.map(async (port) => ((await reached(c, gate, host, port)) === "open" ? port : undefined)));
  return open.find((port) => port !== undefined);
}

/** Probes a TCP port. "closed": a machine refuses. "silent": no machine, or a firewall. */
export async function reached(c: Read, gate: Gate, host: string, port: number): Promise<"open" | "closed" | "silent"> {
  const leave = await gate.enter(c.signal);
  const limit = new AbortController();
  const done = new AbortController();
  c.world.clock.sleep(LIMIT_MS, done.signal).then(
    () => limit.abort(),
    () => {},
  );
  try {
    (await c.world.net.dial({ host, port }, AbortSignal.any([c.signal, limit.signal]))).destroy();
    return "open";
  } catch (error) {
    c.signal.throwIfAborted();
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? "closed" : "silent";
  } finally {
    done.abort();
    leave();
  }
}
