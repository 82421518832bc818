import { realWorld } from "@talosmith/lib/world/real.ts";
import type { World } from "@talosmith/lib/world/world.ts";
import type { RunningLab } from "../../kernel/kernel.ts";
import { createLab } from "../../kernel/lab.ts";
import { type StillWorld, stillWorld } from "../../kernel/still-world.ts";
import type { RescueServer } from "../../rescue/hosts.ts";
import { hetznerService } from "../service.ts";
import { fakeHosts } from "./fake-hosts.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses of the API, inspected by tests alone.
type Loose = any;

export interface StartedProject {
  lab: RunningLab;
  url: string;
  token: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; content: Loose }>;
}

export interface Project extends StartedProject {
  world: StillWorld;
}

/** A started lab with these servers, whose time stands still. */
export async function project(...servers: Partial<RescueServer>[]): Promise<Project> {
  const world = stillWorld(realWorld());
  return { world, ...(await startProject(servers, world, 1)) };
}

/** A started lab with these servers. */
export async function startProject(
  servers: readonly Partial<RescueServer>[],
  world: World,
  timeScale: number,
): Promise<StartedProject> {
  const lab = await createLab(world, { seed: "s", timeScale, services: [fakeHosts(servers), hetznerService()] });
  await lab.start();
  const { url, token } = lab.published().hetzner as { url: string; token: string };
  return {
    lab,
    url,
    token,
    call: async (method, path, body, headers = {}) => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, connection: "close", ...headers },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, content: text === "" ? undefined : JSON.parse(text) };
    },
  };
}

/** The error of a refused call: "423 locked". */
export function refusal({ status, content }: { status: number; content: Loose }): string {
  return `${status} ${content.error.code}`;
}
