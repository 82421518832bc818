import { userError } from "@talosmith/lib/errors.ts";
import { parseIp } from "@talosmith/lib/ip.ts";
import type { Wire, WireRule } from "@talosmith/lib/world/wire.ts";
import type { Config } from "../config/config.ts";
import type { LabDoor, LabServices, LabShape } from "../platforms/lab.ts";

/** Numbers in the lab's block that nodes can have: every service of the lab listens on other ports than nodes do. */
const FIRST_PLACE = 1;
const LAST_PLACE = 253;
/** The router of the lab's network. */
const GATEWAY_PLACE = 250;
const PLACES = Array.from({ length: LAST_PLACE }, (_, at) => FIRST_PLACE + at);

/**
 * Gives every address that a config has for its nodes a place in the lab's block: its own last number, or the next free one where two addresses share
 * it.
 */
export function placesOf(config: Config): Record<string, number> {
  const places: Record<string, number> = {};
  const taken = new Set([GATEWAY_PLACE]);
  for (const address of addressesOf(config)) {
    const own = Number((parseIp(address)?.value ?? 0n) & 0xffn);
    const place = [own, ...PLACES].find((one) => PLACES.includes(one) && !taken.has(one));
    if (place === undefined) throw tooMany(config);
    taken.add(place);
    places[address] = place;
  }
  for (const gateway of gatewaysOf(config)) places[gateway] ??= GATEWAY_PLACE;
  return places;
}

/** Addresses of nodes and of the cluster. */
function addressesOf({ cluster, nodes }: Config): string[] {
  const all = [...nodes.flatMap(({ ip, secondIp, privateIp }) => [ip, secondIp, privateIp]), cluster.vip, cluster.endpoint];
  return [...new Set(all.filter((one) => one !== undefined && parseIp(one) !== undefined))] as string[];
}

/** Gateways are asked whether the network can be reached; the lab's serves nothing else. */
function gatewaysOf({ network, nodes }: Config): string[] {
  const all = [network.gateway, network.second?.gateway, ...nodes.map(({ gateway }) => gateway)];
  return all.filter((one) => one !== undefined);
}

function tooMany({ nodes }: Config): Error {
  return userError("REHEARSAL_SIZE", {
    message: `Unable to rehearse ${nodes.length} nodes: the lab has ${LAST_PLACE} addresses`,
    hint: "rehearse a copy of the environment with fewer nodes",
  });
}

/** Where the config's servers and nodes are in the lab. */
export function wireOf(config: Config, { doors }: LabShape, services: LabServices, host: (place: number) => string): Wire {
  const places = placesOf(config);
  const nodes = Object.entries(places).map(([address, place]): WireRule => ({ from: { at: address }, to: { at: host(place) } }));
  const placed = (address: string) => host(places[address] ?? FIRST_PLACE);
  const named = parseIp(config.cluster.endpoint) ? [] : [endpointName(config, places, host)].flat();
  return {
    file: "the rehearsal",
    rules: [...[...doors, factoryOf(config)].map((door) => doorRule(door, services, config, placed)), ...nodes, ...named],
    leavesOthers: true,
  };
}

/** An endpoint with a DNS name leads to the virtual IP, or to the first control plane. */
function endpointName({ cluster, nodes }: Config, places: Readonly<Record<string, number>>, host: (place: number) => string) {
  const address = cluster.vip ?? nodes.find(({ role }) => role === "controlplane")?.ip ?? "";
  const place = places[address];
  return place === undefined ? [] : [{ from: { at: cluster.endpoint.toLowerCase() }, to: { at: host(place) } }];
}

function factoryOf({ image }: Config): LabDoor {
  const { hostname, port, protocol } = new URL(image.factory);
  const usual = protocol === "https:" ? 443 : 80;
  return {
    host: hostname,
    port: port === "" ? usual : Number(port),
    service: "factory",
  };
}

function doorRule(door: LabDoor, services: LabServices, config: Config, placed: (address: string) => string): WireRule {
  const { at, ...rest } = serverOf(door, services, config, placed);
  const { hostname, port } = new URL(at);
  return { from: { at: door.host.toLowerCase(), port: door.port }, to: { at: hostname, port: Number(port) }, ...rest };
}

type Server = { at: string } & Pick<WireRule, "trust" | "plain">;

function serverOf(door: LabDoor, services: LabServices, { nodes }: Config, placed: (address: string) => string): Server {
  const { proxmox = {}, ssh = {}, factory = {}, rescue = {}, hetzner = {} } = services;
  switch (door.service) {
    case "proxmox":
      return { at: proxmox.url ?? "", trust: { tls: { by: "fingerprint", fingerprint: proxmox.fingerprint ?? "" } } };
    case "ssh":
      return { at: `ssh://${ssh.host}:${ssh.port}`, trust: { hostKey: ssh.fingerprint ?? "" } };
    case "rescue": {
      const address = nodes.find(({ name }) => name === door.server)?.ip ?? "";
      const hostKey = rescue[`hostKey ${door.server}`] ?? "";
      return { at: `ssh://${placed(address)}:${rescue.port}`, ...(!door.anyKey && { trust: { hostKey } }) };
    }
    case "factory":
      return { at: factory.url ?? "", plain: true };
    case "provider":
      return { at: hetzner.url ?? "", plain: true };
  }
}
