import { Gate } from "@talosmith/lib/gate.ts";
import { after, formatIp, parseNetwork } from "@talosmith/lib/ip.ts";
import { type Check, check, type Read } from "../../../engine/step.ts";
import type { Inventory } from "../../platform.ts";
import type { ProxmoxEnvironment } from "../proxmox-environment.ts";
import type { Site } from "../site.ts";
import { namesakesOf } from "../steps/namesakes.ts";
import { fail, ok, some, warn } from "./finding.ts";
import { createsMachine } from "./kinds.ts";

/** Ports of a Talos node, of another machine and of a Kubernetes API. */
const PORTS = [50_000, 22, 6443];
const LIMIT_MS = 2_000;
const AT_A_TIME = 24;
/** How many unused addresses are tried, in networks of at least this size. */
const CONTROLS = 5;
const SMALLEST = 26;

/** Checks that nothing answers at the addresses of machines that do not exist yet. A machine that is silent on all ports is not found. */
export function addressesAreFree(site: Site, found: Inventory): Check[] {
  const { env, talos } = site;
  // A machine to be replaced may keep its address.
  const isOwn = (ip: string) => found.owned.some(({ address }) => address === ip);
  const nodes = env.config.nodes.filter(({ name, ip }) => !found.there.has(name) && !isOwn(ip));
  if (nodes.length === 0) return [];
  return [
    check({
      id: "preflight/addresses",
      stage: "preflight",
      title: "addresses of new machines",
      before: createsMachine,
      run: async (c) => {
        const gate = new Gate(AT_A_TIME);
        const looks = nodes.map(async ({ name, ip }) => {
          const port = env.config.network.via === "ssh" ? await talosAt(c, ip) : await listening(c, gate, ip);
          if (port === undefined || (await isNamesake(c, name))) return [];
          return [
            fail(
              "ADDRESS_USED",
              `${ip}, the address of ${name}, is already in use: port ${port} answers, but ${name} does not exist yet`,
              "choose another address, or switch off the machine that has it",
              env.where(["nodes", name, "ip"]),
            ),
          ];
        });
        const used = (await Promise.all(looks)).flat();
        if (used.length > 0 && (await everythingAnswers(c, gate)))
          return [
            warn(
              "ADDRESSES_UNKNOWN",
              `not checked: every address in ${env.config.network.cidr} answers this computer`,
              "a proxy or VPN between this computer and the nodes may be the reason; make sure yourself that no other machine has the nodes' addresses",
            ),
          ];
        if (used.length > 0) return used;
        return [ok("ADDRESSES", `nothing answers at ${some(nodes.map(({ ip }) => ip))}`)];
      },
    }),
  ];

  /** Without secrets.yaml the cluster's own machines are not recognised; another check reports that. */
  async function isNamesake(c: Read, node: string): Promise<boolean> {
    return found.environment === undefined && (await namesakesOf(site, c)).some(({ name }) => name === node);
  }

  /** Whether even addresses that the config does not use answer: then an answer proves nothing. */
  async function everythingAnswers(c: Read, gate: Gate): Promise<boolean> {
    if (env.config.network.via === "ssh") return false;
    const answers = await Promise.all(unusedAddresses(env.config).map((ip) => listening(c, gate, ip)));
    return answers.length > 0 && answers.every((port) => port !== undefined);
  }

  /** Through an SSH host only the Talos API is probed. */
  async function talosAt(c: Read, ip: string): Promise<number | undefined> {
    return (await talos.probe(ip, c.signal)).is === "silent" ? undefined : 50_000;
  }
}

/** Addresses in all parts of the nodes' network that the config does not use; none for a network that is too small or IPv6. */
function unusedAddresses({ network: { cidr, gateway }, nodes, cluster }: ProxmoxEnvironment["config"]): string[] {
  const range = parseNetwork(cidr);
  if (range?.family !== 4 || range.prefix > SMALLEST) return [];
  const used = new Set([gateway, cluster.vip, cluster.endpoint, ...nodes.map(({ ip }) => ip)]);
  const step = Number(range.last - range.first) / (CONTROLS + 1);
  return Array.from({ length: CONTROLS }, (_, at) =>
    formatIp(after({ family: 4, value: range.first }, Math.round(step * (at + 1)))),
  ).filter((ip) => !used.has(ip));
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
