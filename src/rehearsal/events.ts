import { userError } from "@talosmith/lib/errors.ts";
import type { Config, NodeConfig } from "../config/config.ts";
import type { LabShape } from "../platforms/lab.ts";

/** Something that happens to the running cluster, in the order of the flags. */
export type RehearsalEvent =
  | { readonly is: "lose-host"; readonly name: string }
  | { readonly is: "lose-node"; readonly name: string }
  | { readonly is: "scale"; readonly name: string; readonly count: number };

/** An event of the lab. */
export type LabStrike = readonly [name: string, ...args: string[]];

/** The strike that a loss is, and the one that ends it; without one, `up` switches the machine on. */
export function strikesOf(event: RehearsalEvent, { proxmox, machines }: LabShape): { lost: LabStrike; back?: LabStrike } {
  const { name } = event;
  if (event.is === "lose-host") return { lost: ["power-loss", name], back: ["power-on", name] };
  if (proxmox) return { lost: ["node-off", name] };
  return { lost: ["node-off", name], back: [machines ? "node-restart" : "rescue-left", name] };
}

/** Refuses an event that names something the config does not have, before anything is started. */
export function requireKnown(events: readonly RehearsalEvent[], { nodes }: Config, { proxmox }: LabShape): void {
  for (const event of events) {
    if (event.is === "lose-host")
      requireName(
        "host",
        event.name,
        (proxmox?.hosts ?? []).map((host) => host.name),
        proxmox,
      );
    if (event.is === "lose-node")
      requireName(
        "node",
        event.name,
        nodes.map((node) => node.name),
      );
  }
}

function requireName(what: string, name: string, known: readonly string[], isThere: unknown = true): void {
  if (known.includes(name)) return;
  throw userError("REHEARSAL_EVENT", {
    message: `Unable to lose the ${what} ${name}: there is no ${what} ${name} in the lab`,
    hint: isThere ? `choose among ${known.join(", ")}` : "only Proxmox has hosts; lose a node instead: --lose-node",
  });
}

/** The union of two versions of a config's nodes: the lab has machines for all of them. */
export function withNodesOf(config: Config, others: readonly Config[]): Config {
  const nodes = new Map<string, NodeConfig>(
    [config, ...others].flatMap((one) => one.nodes.map((node) => [node.name, node] as const)),
  );
  return { ...config, nodes: [...nodes.values()] };
}
