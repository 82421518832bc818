import type { CommandSession } from "./session.ts";

export interface ServeWish {
  folder: string;
  speed: number | "instant";
  seed: string;
  address: string;
  idle: number;
}

export async function serveLabFor({ world, signal }: CommandSession, wish: ServeWish): Promise<number> {
  const { serveLab } = await import("../lab/host/serve.ts");
  const { factoryService } = await import("../lab/factory/service.ts");
  const { proxmoxService } = await import("../lab/proxmox/service.ts");
  const { folder, seed, speed, address, idle } = wish;
  const services = [factoryService(), proxmoxService()];
  await serveLab(world, { folder, seed, timeScale: speed, address, idleMinutes: idle, services }, signal);
  return 0;
}
