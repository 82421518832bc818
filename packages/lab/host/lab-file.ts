import { join } from "node:path";
import { writeDurably } from "@talosmith/lib/durable.ts";
import { userError } from "@talosmith/lib/errors.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import type { ProcessIdentity, World } from "@talosmith/lib/world/world.ts";
import * as z from "zod";

const processIdentity = z.object({
  pid: z.int(),
  startedAt: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
  machineId: z.string(),
  host: z.string(),
});

/**
 * lab.json: the process and the control endpoint of a lab that runs in its own process. It holds the control secret, so only its owner may read it.
 */
const shape = z.object({
  version: z.literal(1),
  process: processIdentity,
  control: z.object({ url: z.string(), secret: z.string() }),
  block: z.string(),
  services: z.record(z.string(), z.record(z.string(), z.string())),
  redirects: z.record(z.string(), z.string()).exactOptional(),
});

export interface LabHandle {
  folder: string;
  process: ProcessIdentity;
  control: { url: string; secret: Secret };
  /** "127.80.1.0/24" */
  block: string;
  /** The values each service published: `services.factory.url`. */
  services: Record<string, Record<string, string>>;
  /** Rules for a wire file, without which the lab's addresses cannot be reached on this system. */
  redirects?: Readonly<Record<string, string>>;
}

const path = (folder: string) => join(folder, "lab.json");

export function writeLabFile(world: World, lab: LabHandle): void {
  const { folder, process, block, services, redirects } = lab;
  const control = { url: lab.control.url, secret: lab.control.secret.reveal() };
  writeDurably(
    world.files,
    path(folder),
    `${JSON.stringify({ version: 1, process, control, block, services, redirects }, null, 2)}\n`,
  );
}

/** Reads the file of a lab, whether its process is alive or dead. */
export function readLabFile(world: World, folder: string): LabHandle | undefined {
  const bytes = world.files.read(path(folder));
  if (bytes === undefined) return undefined;
  const read = shape.safeParse(json(Buffer.from(bytes).toString("utf8")));
  if (!read.success) {
    throw userError("LAB_FILE", {
      message: `Unable to read ${path(folder)}`,
      detail: read.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`).join("\n"),
      hint: `remove it: rm ${path(folder)}`,
    });
  }
  const { control, version: _, ...lab } = read.data;
  return { folder, ...lab, control: { url: control.url, secret: new Secret(control.secret) } };
}

/** The running lab of this folder on this host. */
export function readLab(world: World, folder: string): LabHandle | undefined {
  const lab = readLabFile(world, folder);
  return lab && world.processes.state(lab.process) === "alive" ? lab : undefined;
}

/** Whether the file still belongs to this lab: each lab has its own secret. */
export function labFileNames(world: World, lab: LabHandle): boolean {
  return readLabFile(world, lab.folder)?.control.secret.reveal() === lab.control.secret.reveal();
}

/** Removes the lab's own file, but not that of a later lab. */
export function removeLabFile(world: World, lab: LabHandle): void {
  if (labFileNames(world, lab)) world.files.remove(path(lab.folder));
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
