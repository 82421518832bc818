import { steadyClock } from "@talosmith/lib/world/steady-clock.ts";
import { type LabPlatform, type SiteWish, siteOf } from "./lab-sites.ts";
import type { CommandSession } from "./session.ts";

export interface ServeWish extends SiteWish {
  folder: string;
  platform: LabPlatform;
  speed: number | "instant";
  seed: string;
  address: string;
  idle: number;
  private?: boolean;
}

export async function serveLabFor({ world, signal }: CommandSession, wish: ServeWish): Promise<number> {
  const { serveLab } = await import("@talosmith/lab/host/serve.ts");
  const { folder, seed, speed, address, idle, platform, private: privateNodes = false } = wish;
  const services = await siteOf(platform).services(wish);
  await serveLab(
    { ...world, clock: steadyClock() },
    { folder, seed, timeScale: speed, address, idleMinutes: idle, services, privateNodes },
    signal,
  );
  return 0;
}
