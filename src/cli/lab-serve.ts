import { steadyClock } from "@talosmith/lib/world/steady-clock.ts";
import type { CommandSession } from "./session.ts";

export interface ServeWish {
  folder: string;
  platform: "proxmox" | "metal" | "vps";
  speed: number | "instant";
  seed: string;
  address: string;
  idle: number;
  /** With commas between them. */
  hosts?: string;
  /** The release: "8.4". */
  proxmox?: string;
  /** Hosts with a card for graphics, with commas between them. */
  gpu?: string;
  /** Of the machines, when it is not the lab's own. */
  network?: string;
  private?: boolean;
}

export async function serveLabFor({ world, signal }: CommandSession, wish: ServeWish): Promise<number> {
  const { serveLab } = await import("@talosmith/lab/host/serve.ts");
  const { datacenter, machineRoom, rentedServers } = await import("@talosmith/lab/host/services.ts");
  const { folder, seed, speed, address, idle, platform, private: privateNodes = false } = wish;
  const prefix = prefixOf(wish.network);
  const services =
    platform === "vps" ? rentedServers(prefix) : platform === "metal" ? machineRoom(prefix) : datacenter(clusterOf(wish));
  await serveLab(
    { ...world, clock: steadyClock() },
    { folder, seed, timeScale: speed, address, idleMinutes: idle, services, privateNodes },
    signal,
  );
  return 0;
}

function prefixOf(network: string | undefined): string | undefined {
  return network?.split(".").slice(0, 3).join(".");
}

function clusterOf({ hosts, proxmox, gpu }: ServeWish) {
  const cards = gpu?.split(",").map((host) => [host, ["nvidia rtx 4090"]] as const);
  return {
    ...(hosts !== undefined && { hosts: hosts.split(",") }),
    ...(proxmox !== undefined && { version: proxmox }),
    ...(cards && { gpus: Object.fromEntries(cards) }),
  };
}
