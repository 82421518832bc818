import type { World } from "@talosmith/lib/world/world.ts";
import type { SupportPart } from "../definition.ts";
import { ProxmoxClient } from "./client/client.ts";
import { list, text } from "./client/loose.ts";
import { hosts, version } from "./client/nodes.ts";
import type { ProxmoxEnvironment } from "./proxmox-environment.ts";

const TASKS = 50;

/** Versions, hosts, and the last tasks that were begun with our login. */
export function supportParts(world: World, { config }: ProxmoxEnvironment): SupportPart[] {
  const { proxmox } = config;
  return [
    {
      name: "proxmox.txt",
      about: "version, hosts and our last tasks of Proxmox",
      read: async (signal) => {
        const client = new ProxmoxClient(world, proxmox, { calls: 0, bytes: 0 });
        try {
          return await proxmoxWords(client, signal);
        } finally {
          client.close();
        }
      },
    },
  ];
}

async function proxmoxWords(client: ProxmoxClient, signal: AbortSignal): Promise<string> {
  const sections = [`Proxmox VE ${await version(client, signal)} at ${client.host}`];
  for (const { name, online } of await hosts(client, signal))
    sections.push(`# ${name}, ${online ? "online" : "offline"}\n${online ? await tasksOf(client, name, signal) : ""}`);
  return `${sections.join("\n\n")}\n`;
}

async function tasksOf(client: ProxmoxClient, host: string, signal: AbortSignal): Promise<string> {
  const [user = ""] = client.identity.split("!");
  const tasks = list(
    await client.get(`/nodes/${host}/tasks`, { limit: TASKS, userfilter: user }, signal),
    `the tasks of ${host}`,
  );
  const time = (seconds: unknown) => (Number.isFinite(Number(seconds)) ? new Date(Number(seconds) * 1000).toISOString() : "");
  return tasks
    .map(
      (task) =>
        `${time(task.starttime)} ${text(task.type) ?? ""} ${text(task.id) ?? ""} ${text(task.user) ?? ""}: ${text(task.status) ?? "running"}`,
    )
    .join("\n");
}
