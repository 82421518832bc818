import type { CommandSession } from "./session.ts";

export interface ServeWish {
  folder: string;
  platform: "proxmox" | "metal";
  speed: number | "instant";
  seed: string;
  address: string;
  idle: number;
  /** With commas between them. */
  hosts?: string;
  /** Of the machines, when it is not the lab's own. */
  network?: string;
  private?: boolean;
}

export async function serveLabFor({ world, signal }: CommandSession, wish: ServeWish): Promise<number> {
  const { serveLab } = await import("../lab/host/serve.ts");
  const { datacenter, machineRoom } = await import("../lab/host/services.ts");
  const { folder, seed, speed, address, idle, platform, private: privateNodes = false } = wish;
  const services =
    platform === "metal" ? machineRoom(wish.network?.split(".").slice(0, 3).join(".")) : datacenter(wish.hosts?.split(","));
  await serveLab(world, { folder, seed, timeScale: speed, address, idleMinutes: idle, services, privateNodes }, signal);
  return 0;
}
