import { Gate } from "@talosmith/lib/gate.ts";
import { ownCommand, typedEnvironment } from "@talosmith/lib/own-command.ts";
import { type Check, check, type Finding, type Read } from "../../../engine/step.ts";
import type { Environment } from "../../../environment/environment.ts";
import { firewallDocuments } from "../../../talos/config/node/firewall.ts";
import type { Inventory } from "../../platform.ts";
import type { ConfigOnVps, VpsNodeConfig } from "../config/config-on-vps.ts";
import { EVERYWHERE, rulesIn } from "./inbound.ts";

/** Ports that a node, its cluster or a system installed before could listen on. */
const PORTS: ReadonlyMap<number, string> = new Map([
  [22, "SSH"],
  [25, "mail"],
  [80, "HTTP"],
  [111, "rpcbind"],
  [443, "HTTPS"],
  [2379, "etcd"],
  [2380, "etcd"],
  [2381, "etcd's metrics"],
  [2383, "etcd's metrics"],
  [3389, "remote desktop"],
  [4240, "Cilium's health"],
  [4244, "Hubble"],
  [5432, "PostgreSQL"],
  [6443, "the Kubernetes API"],
  [8080, "HTTP"],
  [9100, "node metrics"],
  [10250, "kubelet"],
  [10255, "kubelet, read only"],
  [10256, "kube-proxy's health"],
  [10257, "the controller manager"],
  [10258, "a cloud controller"],
  [10259, "the scheduler"],
  [50_000, "the Talos API"],
  [50_001, "trustd"],
]);
/** How many ports of a declared range are tried. */
const MOST_DECLARED = 20;
const MOST_NODES = 20;
const AT_A_TIME = 32;
const LIMIT_MS = 2_000;

/** Reports ports of the nodes that answer this computer and should not. Checks only servers that run Talos: others are not taken over yet. */
export function outsideCheck(env: Environment<ConfigOnVps>, found: Inventory): Check {
  const running = env.config.nodes.filter(({ name }) => found.owned.some((one) => one.name === name));
  return check({
    id: "doctor/outside",
    stage: "preflight",
    title: "ports that are open from outside",
    before: () => false,
    run: async (c) => {
      if (running.length === 0) return [ok("no node runs Talos yet: nothing to check")];
      const gate = new Gate(AT_A_TIME);
      const looked = running.slice(0, MOST_NODES);
      const findings = await Promise.all(looked.map((node) => lookAt(env.config, node, c, gate)));
      return [...findings.flat(), whatIsSeen(env.config, running.length - looked.length)];
    },
  });
}

async function lookAt(config: ConfigOnVps, node: VpsNodeConfig, c: Read, gate: Gate): Promise<Finding[]> {
  const allowed = allowedFromHere(config, node);
  const ports = [...new Set([...PORTS.keys(), ...allowed, ...(node.ssh.host === node.ip ? [node.ssh.port] : [])])].sort(
    (a, b) => a - b,
  );
  const answers = await Promise.all(ports.map((port) => isOpen(c, gate, node.ip, port)));
  const open = ports.filter((_, at) => answers[at]);
  const exposed = open.filter((port) => !allowed.has(port));
  if (exposed.length > 0) return exposed.map((port) => exposedPort(config, node, port));
  const answering = open.length === 0 ? "none answers" : `only ${open.join(", ")} answer`;
  return [ok(`${node.name} (${node.ip}): of ${ports.length} TCP ports ${answering} from here`)];
}

/** Ports that may answer: this computer is in firewall.admin, and declared ports may be open to it, which cannot be determined here. */
function allowedFromHere(config: ConfigOnVps, { role }: VpsNodeConfig): Set<number> {
  const { firewall } = config;
  const always = new Set([50_000, ...(role === "controlplane" ? [6443] : [])]);
  if (!firewall) return always;
  const ours = new Set([...firewall.admin, ...EVERYWHERE]);
  const letsUsIn = firewallDocuments(firewall, config, role)
    .flatMap(rulesIn)
    .filter(({ name, protocol, from }) => protocol === "tcp" && (name.startsWith("open-") || from.some((one) => ours.has(one))));
  return new Set([...always, ...letsUsIn.flatMap(({ port = "" }) => portsOf(port))]);
}

function portsOf(port: string): number[] {
  const [first = 0, last = first] = port.split("-").map(Number);
  return Array.from({ length: Math.min(last - first + 1, MOST_DECLARED) }, (_, at) => first + at);
}

async function isOpen(c: Read, gate: Gate, host: string, port: number): Promise<boolean> {
  const leave = await gate.enter(c.signal);
  const limit = new AbortController();
  const done = new AbortController();
  c.world.clock.sleep(LIMIT_MS, done.signal).then(
    () => limit.abort(new Error("no answer")),
    () => {},
  );
  try {
    (await c.world.net.dial({ host, port }, AbortSignal.any([c.signal, limit.signal]))).destroy();
    return true;
  } catch {
    c.signal.throwIfAborted();
    return false;
  } finally {
    done.abort();
    leave();
  }
}

function exposedPort({ firewall }: ConfigOnVps, { name, ip }: VpsNodeConfig, port: number): Finding {
  const what = PORTS.get(port);
  const message = `${name} (${ip}) answers at TCP port ${port}${what === undefined ? "" : ` (${what})`} from here`;
  if (!firewall) {
    const hint =
      "firewall.enabled is false, so nodes accept connections from everywhere: turn it on and name your networks in firewall.admin";
    return { level: "warn", code: "EXPOSED_PORT", message, hint };
  }
  return {
    level: "fail",
    code: "EXPOSED_PORT",
    message: `${message}; the rules of the firewall allow only nodes there`,
    hint: `a node without its firewall shows in the plan:  ${ownCommand("plan", typedEnvironment())}\nif it has it, a patch adds a rule for tcp ${port} to its config. If that is intended, declare the port in firewall.open`,
  };
}

function whatIsSeen({ firewall, network }: ConfigOnVps, left: number): Finding {
  const place =
    network.via === "ssh" || !firewall ? "from this computer's address" : "from this computer, which is inside firewall.admin";
  const more = left > 0 ? `; ${left} more nodes were not checked` : "";
  return ok(`checked ${place}: other networks may reach fewer ports; UDP and other TCP ports were not checked${more}`);
}

function ok(message: string): Finding {
  return { level: "ok", code: "OUTSIDE", message };
}
