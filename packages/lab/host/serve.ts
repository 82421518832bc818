import { dirname } from "node:path";
import { userError } from "@talosmith/lib/errors.ts";
import { ownCommand } from "@talosmith/lib/own-command.ts";
import { Secret } from "@talosmith/lib/secret.ts";
import type { ProcessIdentity, World } from "@talosmith/lib/world/world.ts";
import type { LabOptions, RunningLab } from "../kernel/kernel.ts";
import { createLab } from "../kernel/lab.ts";
import { type Control, openControl } from "./control.ts";
import { type LabHandle, labFileNames, readLab, removeLabFile, writeLabFile } from "./lab-file.ts";

export interface ServeOptions extends LabOptions {
  /** The folder for lab.json. */
  folder: string;
  /** The lab ends when it gets no call for this long, in the world's time; 120 when absent. */
  idleMinutes?: number;
  /** The lab ends when this process has ended. */
  parent?: ProcessIdentity;
}

const LOOK_MS = 1000;

/** Runs a lab in this process, which others find through the folder. Returns when it has ended and everything of it is removed. */
export async function serveLab(world: World, options: ServeOptions, signal: AbortSignal): Promise<void> {
  refuseSecond(world, options.folder);
  world.files.makeFolder(options.folder, 0o700);
  const over = new AbortController();
  const end = () => over.abort();
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  const lab = await createLab(world, options);
  try {
    await lab.start();
    const secret = new Secret(Buffer.from(world.random.bytes(32)).toString("hex"));
    const control = await openControl(lab, secret, end);
    const handle = {
      folder: options.folder,
      process: world.processes.self(),
      control: { url: control.url, secret },
      block: lab.address.cidr,
      services: lab.published(),
      ...(lab.redirects && { redirects: lab.redirects }),
    };
    try {
      writeLabFile(world, handle);
      await untilOver(world, options, lab, control, handle, over.signal);
    } finally {
      await control.close();
      // Removed last: once the file is gone, the addresses are free.
      await lab.close().finally(() => removeLabFile(world, handle));
    }
  } finally {
    signal.removeEventListener("abort", end);
    await lab.close();
  }
}

async function untilOver(
  world: World,
  { idleMinutes = 120, parent }: ServeOptions,
  lab: RunningLab,
  control: Control,
  handle: LabHandle,
  over: AbortSignal,
): Promise<void> {
  const activity = () => `${lab.recorder.calls().at(-1)?.n} ${control.used()}`;
  let last = { activity: activity(), at: world.clock.monotonic() };
  let missing = 0;
  while (!over.aborted) {
    try {
      await world.clock.sleep(LOOK_MS, over);
    } catch (error) {
      if (!over.aborted) throw error;
    }
    if (parent && world.processes.state(parent) === "dead") return;
    // The folder was removed, or another lab owns it: this lab can no longer be found. A restore moves the folder away for a moment.
    missing = labFileNames(world, handle) ? 0 : missing + 1;
    if (missing > 1) return;
    const now = { activity: activity(), at: world.clock.monotonic() };
    if (now.activity !== last.activity) last = now;
    if (now.at - last.at >= idleMinutes * 60_000) return;
  }
}

function refuseSecond(world: World, folder: string): void {
  const running = readLab(world, folder);
  if (running === undefined) return;
  throw userError("LAB_RUNNING", {
    message: `Unable to start a lab in ${folder}: a lab is already running there`,
    detail: `process ${running.process.pid}, addresses ${running.block}`,
    hint: `use that lab, or stop it:  ${ownCommand("lab stop", dirname(folder))}`,
  });
}
