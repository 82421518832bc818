import type { Change, Later, Seen, Typed } from "../../engine/step.ts";
import { isNamed, selectorOf } from "../../takeover/judge/choose-disk.ts";
import { describeDisk } from "../../takeover/judge/describe.ts";
import type { SurveyedNetwork } from "../../takeover/survey.ts";
import type { VpsNodeConfig } from "./config/config-on-vps.ts";
import type { Server } from "./server.ts";
import type { Site } from "./site.ts";

/** The changes that the plan shows for a node's server. */
export function plannedChanges(site: Site, node: VpsNodeConfig, id: string, seen: Seen<Server> | Later): Change[] {
  const change = { id, step: id, subject: `machine ${node.name}` };
  if ("later" in seen)
    return [{ ...change, verb: "run", fields: [{ path: "start", from: null, to: "waited for: it was restarted into Talos" }] }];
  if (seen.is !== "present" || seen.actual.is === "talos") return [];
  const server = seen.actual;
  const talos = talosWords(site, node);
  if (server.is === "elsewhere") {
    const fields = [
      { path: "server", from: server.runs, to: `restarted into its rescue system by ${site.provider?.name}` },
      { path: "disk", from: { later: id }, to: talos },
    ];
    const why = server.maybeNode
      ? `${node.ip} does not answer, and may be a node of this cluster that cannot be reached from here`
      : `the content of the disk of ${node.ip} is not known yet`;
    const typed = !server.maybeNode && isNamed(node.installDisk) ? undefined : typedName(site, node, why, server);
    return [{ ...change, verb: "replace", fields, ...(typed && { typed }) }];
  }
  const { disk, network, named, before } = server;
  const was = describeDisk(disk);
  if (!disk.holdsData || before === "a part") {
    const fields = [
      { path: "server", from: null, to: node.ip },
      { path: "disk", from: null, to: was },
      { path: "system", from: null, to: talos },
      { path: "network", from: null, to: wantedNetwork(site, node) },
    ];
    return [{ ...change, verb: "create", fields }];
  }
  const connected = { path: "network", from: foundNetwork(network), to: wantedNetwork(site, node) };
  const fields = [{ path: "disk", from: was, to: talos }, ...(connected.from === connected.to ? [] : [connected])];
  const typed = named ? undefined : typedName(site, node, `${disk.path} of ${node.name} holds data`, server);
  return [
    {
      ...change,
      verb: "replace",
      fields,
      // It was a node before, so its disk may hold a member of the cluster.
      ...(before === "all" && { needsConsent: node.name }),
      ...(typed && { typed }),
    },
  ];
}

/** The disk as the plan described it; undefined when it was not known yet. */
export function plannedDisk(change: Change | undefined): string | undefined {
  const field = change?.fields.find(({ path }) => path === "disk");
  const said = change?.verb === "create" ? field?.to : field?.from;
  return typeof said === "string" ? said : undefined;
}

/** The config comes with the disk, unless its image does not look for one there. */
export function bringsConfig({ image }: VpsNodeConfig): boolean {
  return image.kernelArgs.includes("talos.config=metal-iso");
}

function talosWords({ env }: Site, node: VpsNodeConfig): string {
  const talos = `Talos ${env.config.cluster.talos}`;
  return bringsConfig(node) ? `${talos} with its config on the disk` : `${talos} in maintenance mode, then its config`;
}

function wantedNetwork({ env }: Site, { ip, secondIp, prefix, gateway }: VpsNodeConfig): string {
  // A node without a configured gateway uses DHCP for everything.
  if (gateway === undefined) return "DHCP";
  const second = env.config.network.second;
  const more = secondIp === undefined || second === undefined ? [] : [`${secondIp}/${second.prefix}`];
  return [`${ip}/${prefix} via ${gateway}`, ...more].join(", ");
}

function foundNetwork({ cards, main, gateway }: SurveyedNetwork): string {
  const card = cards.find(({ name }) => name === main) ?? cards[0];
  if (!card) return "unknown";
  const via = gateway === undefined ? "" : ` via ${gateway}`;
  return `${card.addresses.join(", ") || "no address"}${via}${card.dhcp ? " (DHCP)" : ""}`;
}

function typedName({ env }: Site, { name }: VpsNodeConfig, why: string, server: Server): Typed {
  const where = env.where(["nodes", name, "installDisk"]) ?? env.where(["nodes", name]);
  const selector = server.is === "fit" ? selectorOf(server.disk) : "{ serial: … }, as lsblk -o NAME,SERIAL shows it there";
  const place = where ? ` (${where.file}:${where.line})` : "";
  const instead =
    server.is === "elsewhere" && server.maybeNode
      ? `start the rescue system of ${name} yourself, so that the plan can show what is on it`
      : `set this for ${name} in the config${place}:  installDisk: ${selector}`;
  return { name, why, instead, ...(where && { where }) };
}
